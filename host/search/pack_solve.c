// The two questions, asked through attempts: does it fit, and what is the least that fits?
#include <stdlib.h>
#include <string.h>

#include "host/search/pack_general.h"
#include "host/search/pack_sky.h"

#define DEFAULT_SECONDS 10.0
#define FIRST_NODES 300u             // of an attempt; later ones have up to 2^k times more
#define PROGRESS_SECONDS 0.2

// Work in hand. Two buffers of offsets: the attempt's, and the best placement's (in the result).
struct run {
  pack_model model;
  sky sky;
  pack_general general;
  bool has_sky;
  const arn_pack_options *options;
  arn_pack_result *result;
  pack_attempt attempt;
  uint32_t *guide;             // offsets to stay near; NULL until something was found
  double start, told;
  uint64_t random;
  uint32_t turn;
};

// ---- frame ----

static bool open_engine(struct run *r) {
  r->has_sky = r->model.is_plain && arn__sky_open(&r->sky, &r->model);
  return r->has_sky || arn__general_open(&r->general, &r->model);
}

static void close_run(struct run *r) {
  if (r->has_sky) {
    arn__sky_close(&r->sky);
  } else {
    arn__general_close(&r->general);
  }
  r->result->seconds = arn__pack_cpu_seconds() - r->start;
  free(r->attempt.offsets);
  free(r->attempt.regions);
  free(r->guide);
  arn__pack_model_close(&r->model);
}

static arn_pack_verdict open_run(struct run *r, const arn_pack_problem *problem,
                                 const arn_pack_options *options, arn_pack_result *result) {
  memset(r, 0, sizeof *r);
  result->height = result->bound = result->item = 0;
  result->reason = NULL;
  result->found = false;
  result->nodes = 0;
  result->seconds = 0;
  const arn_pack_verdict verdict = arn__pack_model_open(&r->model, problem, result);
  if (verdict != ARN_PACK_SOLVED) return verdict;
  r->start = arn__pack_cpu_seconds();
  r->options = options;
  r->result = result;
  r->random = pack_mix(options->seed + 1u);
  result->bound = r->model.bound;
  r->attempt.offsets = calloc(problem->count + 1u, sizeof *r->attempt.offsets);
  r->attempt.regions = calloc(problem->count + 1u, sizeof *r->attempt.regions);
  r->attempt.deadline =
      r->start + (options->budget_seconds > 0 ? options->budget_seconds : DEFAULT_SECONDS);
  if (r->attempt.offsets && r->attempt.regions && open_engine(r)) return ARN_PACK_SOLVED;
  close_run(r);
  return ARN_PACK_NO_MEMORY;
}

static bool is_spent(const struct run *r) {
  const uint64_t most = r->options->budget_nodes;
  return (most && r->attempt.nodes >= most) || arn__pack_cpu_seconds() >= r->attempt.deadline;
}

static void tell(struct run *r, bool now) {
  const double at = arn__pack_cpu_seconds();
  if (!r->options->progress || (!now && at < r->told + PROGRESS_SECONDS)) return;
  r->told = at;
  r->options->progress(r->options->context, r->result->bound, r->result->height, at - r->start);
}

// ---- attempts ----

static uint64_t nodes_of_turn(const struct run *r) {
  const uint64_t most = r->options->budget_nodes;
  uint64_t nodes = FIRST_NODES;
  for (uint32_t t = r->turn / 16u + 1u; t % 2u == 0; t /= 2u) nodes *= 2u;
  if (nodes < 2u * r->model.count) nodes = 2u * r->model.count;
  if (most && nodes > most - r->attempt.nodes) nodes = most - r->attempt.nodes;
  return nodes;
}

static uint32_t height_of(const pack_model *m, const pack_attempt *a) {
  uint32_t height = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    if (a->regions[i] == 0 && a->offsets[i] + m->top[i] > height) {
      height = a->offsets[i] + m->top[i];
    }
  }
  return height;
}

// Takes a placement over as the best, once the judge has passed it.
static int accept(struct run *r) {
  const pack_attempt *a = &r->attempt;
  const size_t count = r->model.count;
  if (arn_pack_check(r->model.problem, a->capacity, a->offsets, a->regions, NULL)) {
    return PACK_LIMIT;
  }
  if (r->guide == NULL) r->guide = calloc(count + 1u, sizeof *r->guide);
  if (r->guide) memcpy(r->guide, a->offsets, count * sizeof *a->offsets);
  memcpy(r->result->offsets, a->offsets, count * sizeof *a->offsets);
  if (r->result->regions) memcpy(r->result->regions, a->regions, count);
  r->result->height = height_of(&r->model, a);
  r->result->found = true;
  tell(r, true);
  return PACK_DONE;
}

static int attempt(struct run *r, uint32_t capacity) {
  pack_attempt *a = &r->attempt;
  a->capacity = capacity;
  a->random = pack_random(&r->random);
  a->turn = r->turn;
  a->node_limit = nodes_of_turn(r);
  a->guide = r->guide && pack_random(&r->random) % 8 < 7 ? r->guide : NULL;
  r->turn++;
  const int found =
      r->has_sky ? arn__sky_attempt(&r->sky, a) : arn__general_attempt(&r->general, a);
  r->result->nodes = a->nodes;
  tell(r, false);
  return found == PACK_DONE ? accept(r) : found;
}

// ---- does it fit? ----

static uint32_t most_of(const arn_pack_options *options) {
  const uint32_t most = options->capacity;
  return most && most < ARN_PACK_MAX_BYTES ? most : ARN_PACK_MAX_BYTES;
}

static arn_pack_verdict solve(struct run *r, uint32_t capacity) {
  if (r->result->bound > capacity) return ARN_PACK_INFEASIBLE;
  while (!is_spent(r)) {
    const int found = attempt(r, capacity);
    if (found == PACK_DONE) return ARN_PACK_SOLVED;
    if (found == PACK_FAIL) {
      if (r->result->bound <= capacity) r->result->bound = capacity + 1u;
      return ARN_PACK_INFEASIBLE;
    }
  }
  return ARN_PACK_BUDGET;
}

arn_pack_verdict arn_pack_solve(const arn_pack_problem *problem, const arn_pack_options *options,
                                arn_pack_result *result) {
  struct run r;
  arn_pack_verdict verdict = open_run(&r, problem, options, result);
  if (verdict != ARN_PACK_SOLVED) return verdict;
  verdict = solve(&r, most_of(options));
  close_run(&r);
  return verdict;
}

// ---- what is the least? ----

// Aims between the bound and the best so far: near the best most of the time, since each step down
// makes a better guide, and at times far below.
static uint32_t aim(struct run *r, uint32_t most) {
  const uint32_t bound = r->result->bound, gap = most - bound;
  if (gap == 0) return bound;
  const double u = pack_noise(&r->random) + 0.5;
  const double down = u * u * u * 0.5 * gap;
  return most - (uint32_t)down;
}

static arn_pack_verdict minimize(struct run *r, uint32_t limit) {
  arn_pack_result *result = r->result;
  while (result->bound <= limit) {
    if (is_spent(r)) return ARN_PACK_BUDGET;
    const uint32_t capacity = result->found ? aim(r, limit) : limit;
    const int found = attempt(r, capacity);
    if (found == PACK_FAIL) result->bound = capacity + 1u;
    if (found == PACK_DONE && result->height == 0) return ARN_PACK_SOLVED;
    if (found == PACK_DONE) limit = result->height - 1u;
  }
  return result->found ? ARN_PACK_SOLVED : ARN_PACK_INFEASIBLE;
}

arn_pack_verdict arn_pack_minimize(const arn_pack_problem *problem, const arn_pack_options *options,
                                   arn_pack_result *result) {
  struct run r;
  arn_pack_verdict verdict = open_run(&r, problem, options, result);
  if (verdict != ARN_PACK_SOLVED) return verdict;
  verdict = minimize(&r, most_of(options));
  close_run(&r);
  return verdict;
}
