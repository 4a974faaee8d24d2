#include "host/decide/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t elements(const arn_tensor_view *t) {
  const uint32_t element = arn_type_bytes(t->type);
  return element && t->data ? t->bytes / element : 0;
}

static bool is_real(arn_type type) {
  return type == ARN_FLOAT32 || type == ARN_INT8 || type == ARN_UINT8 || type == ARN_INT16;
}

static const char *why_not(const host_engine *a, const host_engine *b) {
  arn_subgraph ga, gb;
  if (arn_model_subgraph(&a->model, 0, &ga) != ARN_OK) return "there is no subgraph";
  if (arn_model_subgraph(&b->model, 0, &gb) != ARN_OK) return "there is no subgraph";
  if (ga.input_count != gb.input_count) return "they have different numbers of inputs";
  if (ga.output_count != gb.output_count) return "they have different numbers of outputs";
  if (ga.output_count == 0) return "they have no output";
  for (uint32_t i = 0; i < ga.input_count; i++) {
    const arn_tensor_view x = arn_input(&a->nn, i), y = arn_input(&b->nn, i);
    if (!is_real(x.type) || !is_real(y.type)) return "an input is not of real numbers";
    if (elements(&x) != elements(&y)) return "their inputs have different sizes";
    if (elements(&x) == 0) return "an input is streamed or empty";
  }
  for (uint32_t i = 0; i < ga.output_count; i++) {
    const arn_tensor_view x = arn_output(&a->nn, i), y = arn_output(&b->nn, i);
    if (!is_real(x.type) || !is_real(y.type)) return "an output is not of real numbers";
    if (elements(&x) != elements(&y)) return "their outputs have different sizes";
    if (elements(&x) == 0) return "an output is streamed or empty";
  }
  return NULL;
}

// ---- inputs -------------------------------------------------------------------------------------

static void narrow(const arn_tensor_view *t, double *low, double *high) {
  const double least = t->type == ARN_UINT8 ? 0 : t->type == ARN_INT8 ? -128 : -32768;
  const double most = t->type == ARN_UINT8 ? 255 : t->type == ARN_INT8 ? 127 : 32767;
  if (t->type == ARN_FLOAT32) return;
  const double from = (double)t->scale * (least - t->zero_point);
  const double to = (double)t->scale * (most - t->zero_point);
  if (from > *low) *low = from;
  if (to < *high) *high = to;
}

static void range_of(const arn_tensor_view *x, const arn_tensor_view *y, double *low,
                     double *high) {
  *low = -1e30;
  *high = 1e30;
  narrow(x, low, high);
  narrow(y, low, high);
  if (*high < 1e30 && *low < *high) return;
  *low = -1.0;
  *high = 1.0;
}

static double next_unit(uint64_t *state) {
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static bool write_input(const host_engine *a, const host_engine *b, uint32_t i, uint64_t seed) {
  const arn_tensor_view x = arn_input(&a->nn, i), y = arn_input(&b->nn, i);
  const uint32_t count = elements(&x);
  float *values = malloc((count + 1u) * sizeof *values);
  double low, high;
  if (values == NULL) return false;
  range_of(&x, &y, &low, &high);
  for (uint32_t k = 0; k < count; k++) values[k] = (float)(low + (high - low) * next_unit(&seed));
  const bool ok = arn_quantise(&x, values, count) == ARN_OK &&
                  arn_quantise(&y, values, count) == ARN_OK;
  free(values);
  return ok;
}

// ---- outputs ------------------------------------------------------------------------------------

struct sums {
  double gap, square, signal, least, most, worst;
  uint64_t count;
};

static void add_element(struct sums *s, double x, double y) {
  const double gap = fabs(x - y);
  if (s->count == 0 || x < s->least) s->least = x;
  if (s->count == 0 || x > s->most) s->most = x;
  if (gap > s->worst) s->worst = gap;
  s->gap += gap;
  s->square += gap * gap;
  s->signal += x * x;
  s->count++;
}

static uint32_t largest(const float *values, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t k = 1; k < count; k++) {
    if (values[k] > values[best]) best = k;
  }
  return best;
}

static bool add_output(struct sums *s, const host_engine *a, const host_engine *b, uint32_t i,
                       bool *same_largest) {
  const arn_tensor_view x = arn_output(&a->nn, i), y = arn_output(&b->nn, i);
  const uint32_t count = elements(&x);
  float *u = malloc((count + 1u) * sizeof *u), *v = malloc((count + 1u) * sizeof *v);
  const bool ok = u && v && arn_dequantise(&x, u, count) == ARN_OK &&
                  arn_dequantise(&y, v, count) == ARN_OK;
  for (uint32_t k = 0; ok && k < count; k++) add_element(s, (double)u[k], (double)v[k]);
  if (ok) *same_largest = largest(u, count) == largest(v, count);
  free(u);
  free(v);
  return ok;
}

static const char *run_once(host_engine *a, host_engine *b, uint32_t invocation, struct sums *s,
                            host_output_gap *gap) {
  arn_subgraph g;
  arn_error error;
  bool first = false, other;
  if (arn_model_subgraph(&a->model, 0, &g) != ARN_OK) return "there is no subgraph";
  for (uint32_t i = 0; i < g.input_count; i++) {
    if (!write_input(a, b, i, 1000u * (uint64_t)invocation + i)) return "an input has no scale";
  }
  if (arn_invoke(&a->nn, &error) < 0 || arn_invoke(&b->nn, &error) < 0) return "a run failed";
  for (uint32_t i = 0; i < g.output_count; i++) {
    if (!add_output(s, a, b, i, i == 0 ? &first : &other)) return "an output has no scale";
  }
  gap->same_largest += first;
  return NULL;
}

host_output_gap host_compare_outputs(host_engine *a, host_engine *b, uint32_t invocations,
                                     void (*progress)(void *what, double share)) {
  host_output_gap gap = {.why = why_not(a, b), .invocations = invocations};
  struct sums s = {0};
  for (uint32_t v = 0; v < invocations && !gap.why; v++) {
    gap.why = run_once(a, b, v, &s, &gap);
    if (progress) progress("comparing outputs", gap.why ? 1.0 : (v + 1.0) / invocations);
  }
  if (gap.why || s.count == 0) return gap;
  gap.worst = s.worst;
  gap.mean = s.gap / (double)s.count;
  gap.spread = s.most - s.least;
  gap.signal_db = s.square > 0.0 ? 10.0 * log10(s.signal / s.square) : 999.0;
  if (s.signal == 0.0 && s.square > 0.0) gap.signal_db = -999.0;
  return gap;
}
