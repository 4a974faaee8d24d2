// Convolutions of random shapes through the target's kernels and through the portable ones.
#include <string.h>

#include "random.h"
#include "src/kernels/depthwise.h"

#define ROWS 6
#define IN_BYTES 4096
#define FILTER_BYTES 16384
#define OUT_BYTES 4096
#define BLOCK ARN__CONV_CHANNELS

typedef struct test {
  arn__conv conv;
  arn__conv_row row;
  arn__conv_block block;
  arn__requant requant[BLOCK];
  int32_t bias[BLOCK];
  uint32_t table[ROWS * 3];
} test;

static int8_t input[IN_BYTES], filter[FILTER_BYTES], out[2][OUT_BYTES];

static int32_t any_zero(void) {
  if (random_one_of(3)) return random_one_of(2) ? -128 : 127;
  return random_in(-128, 127);
}

// Multipliers as models have them, most of the time.
static arn__requant any_requant(void) {
  arn__requant r = {random_in(1 << 30, INT32_MAX), -random_in(0, 12)};
  if (random_one_of(20)) r.shift = random_in(-31, 30);
  if (random_one_of(30)) r.q = -r.q;
  if (random_one_of(30)) r = (arn__requant){0, 0};
  return r;
}

static int32_t any_bias(void) {
  if (random_one_of(40)) return random_one_of(2) ? 1 << 30 : -(1 << 30);
  if (random_one_of(40)) return (int32_t)random_bits();
  return random_in(-20000, 20000);
}

static void any_output(test *t) {
  arn__conv *s = &t->conv;
  s->in_zero = any_zero();
  s->out_zero = any_zero();
  s->clamp = (arn__clamp){-128 - s->out_zero, 127 - s->out_zero};
  if (random_one_of(4)) {
    s->clamp.low = random_in(-128, 0) - s->out_zero;
    s->clamp.high = random_in(0, 127) - s->out_zero;
  }
  const bool plain = random_one_of(2);
  for (uint32_t c = 0; c < BLOCK; c++) {
    t->requant[c] = plain ? (arn__requant){random_in(1 << 30, INT32_MAX), -random_in(3, 9)}
                          : any_requant();
    t->bias[c] = plain ? random_in(-2000, 2000) : any_bias();
  }
  t->block.requant = t->requant;
  t->block.bias = random_one_of(6) ? NULL : t->bias;
}

static void any_row(test *t) {
  arn__conv_row *r = &t->row;
  const arn__conv *s = &t->conv;
  const uint32_t bytes = (uint32_t)(s->in_width * s->in_channels), space = bytes + 3;
  const bool scattered = random_one_of(2);
  r->input = (arn_rows){(uint8_t *)input, scattered ? t->table : NULL, bytes};
  for (uint32_t i = 0; i < ROWS * 3; i++) t->table[i] = i * 5 % (ROWS * 3) * space;
  while (ROWS * 3 * space > IN_BYTES && r->count * r->step * space > IN_BYTES) r->count--;
  for (uint32_t i = 0; i < ROWS * 3; i++) t->table[i] %= IN_BYTES - space;
  r->first = 0;
  r->out = out[0];
}

static int32_t columns_of(const arn__conv *s) {
  const int32_t reach = (s->kernel_width - 1) * s->dilation + 1;
  const int32_t most = (s->in_width + 2 * s->pad - reach) / s->stride + 1;
  return most > 0 ? most : 1;
}

static void any_shape(test *t, bool depthwise) {
  arn__conv *s = &t->conv;
  static const int32_t channels[] = {1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 24, 32, 40, 64, 72};
  memset(t, 0, sizeof *t);
  s->in_channels = channels[random_in(0, depthwise ? 11 : 14)];
  s->in_width = random_in(1, 640 / s->in_channels > 20 ? 20 : 640 / s->in_channels);
  s->kernel_width = random_one_of(3) ? 3 : random_in(1, 5);
  s->stride = random_in(1, 3);
  s->dilation = random_one_of(5) ? 2 : 1;
  s->pad = random_in(0, s->kernel_width);
  t->row.count = (uint32_t)random_in(random_one_of(20) ? 0 : 1, ROWS);
  t->row.step = random_one_of(6) ? 2 : 1;
  t->row.kernel_row = (uint32_t)random_in(0, 1);
  t->row.columns = (uint32_t)columns_of(s);
  if (t->row.columns > 1 && random_one_of(5)) t->row.column = 1, t->row.columns--;
}

static void set_conv(test *t) {
  arn__conv *s = &t->conv;
  s->group = s->in_channels % 2 == 0 && random_one_of(5) ? s->in_channels / 2 : s->in_channels;
  const uint32_t rows = t->row.kernel_row + t->row.count + (uint32_t)random_in(0, 1);
  s->filter_step = rows * (uint32_t)(s->kernel_width * s->group);
  t->block.count = (uint32_t)random_in(1, BLOCK);
  while (t->block.count * s->filter_step > FILTER_BYTES) t->block.count = (t->block.count + 1) / 2;
  t->block.first = (uint32_t)random_in(0, 3);
  t->block.in_first = s->group < s->in_channels && random_one_of(2) ? (uint32_t)s->group : 0;
  s->out_channels = (int32_t)(t->block.first + t->block.count) + random_in(0, 3);
  s->filter_count = t->block.count * s->filter_step + (uint32_t)random_in(0, 3);
}

static void set_depthwise(test *t) {
  arn__conv *s = &t->conv;
  s->group = random_one_of(4) ? random_in(1, 8) : 1;
  s->out_channels = s->in_channels * s->group;
  const int32_t most = s->out_channels < 16 ? s->out_channels : 16;
  t->block.count = (uint32_t)(random_one_of(3) ? random_in(1, most) : most);
  t->block.first = (uint32_t)random_in(0, s->out_channels - (int32_t)t->block.count);
  t->block.filter_at = t->block.first;
  s->filter_step = 0;
  s->filter_count = (t->row.kernel_row + t->row.count) *
                    (uint32_t)(s->kernel_width * s->out_channels);
}

// The filter ends where its memory ends.
static bool set_filter(test *t) {
  const uint32_t used = t->conv.filter_count;
  if (used == 0 || used > FILTER_BYTES) return false;
  t->block.filter = filter + FILTER_BYTES - used;
  const uint32_t end = t->row.columns * (uint32_t)t->conv.out_channels;
  return end <= OUT_BYTES;
}

static bool is_same(test *t, arn__conv_kernel *kernel, arn__conv_kernel *portable) {
  memset(out, 0x55, sizeof out);
  t->row.out = out[0];
  kernel(&t->conv, &t->row, &t->block);
  t->row.out = out[1];
  portable(&t->conv, &t->row, &t->block);
  return memcmp(out[0], out[1], OUT_BYTES) == 0;
}

static uint32_t run(uint32_t rounds, bool depthwise) {
  static test t;
  uint32_t failed = 0;
  for (uint32_t i = 0; i < rounds;) {
    any_shape(&t, depthwise);
    if (depthwise) set_depthwise(&t);
    else set_conv(&t);
    any_row(&t);
    any_output(&t);
    if (!set_filter(&t)) continue;
    if (i % 16 == 0) {
      random_fill(input, sizeof input);
      random_fill(filter, sizeof filter);
      if (random_one_of(4)) memset(filter, -128, sizeof filter);
    }
    failed += depthwise
                  ? !is_same(&t, arn__depthwise_row_s8, arn__depthwise_row_s8_portable)
                  : !is_same(&t, arn__conv_row_s8, arn__conv_row_s8_portable);
    i++;
  }
  return failed;
}

uint32_t random_conv(uint32_t rounds) { return run(rounds, false); }
uint32_t random_depthwise(uint32_t rounds) { return run(rounds, true); }
