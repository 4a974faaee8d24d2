#include "broadcast_common.h"

#include "../graph/rows.h"

// ---- prepare ------------------------------------------------------------------------------------

// The dimension `k` places from the right; shapes are extended with ones to the left.
static int32_t dim_at(const arn_tensor *t, int32_t k) {
  return k < t->rank ? t->dims[t->rank - 1 - k] : 1;
}

arn_status arn__broadcast_check(const arn_prepare *p, const arn_tensor *inputs, uint32_t count,
                                const arn_tensor *out) {
  for (int32_t k = 0; k < ARN_MAX_RANK; k++) {
    int32_t size = 1;
    for (uint32_t i = 0; i < count; i++) {
      const int32_t own = dim_at(&inputs[i], k);
      if (own == 1 || own == size) continue;
      if (size != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &inputs[i]);
      size = own;
    }
    if (dim_at(out, k) != size) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  }
  return ARN_OK;
}

// Decides how one input meets the rows along the axis `k` places from the right. Says false where
// the input can only be read whole: its own rows run along another axis, or are several for one.
static bool align_rows(arn__broadcast *b, const arn_tensor *in, uint32_t i, int32_t k) {
  const arn__rows_shape own = arn__rows_of(in);
  const bool repeated = dim_at(in, k) == 1;
  if (!repeated && own.axis >= 0 && in->rank - 1 - own.axis == k) {
    b->rows_aligned = (uint8_t)(b->rows_aligned | 1u << i);
    return true;
  }
  if (repeated) b->rows_repeated = (uint8_t)(b->rows_repeated | 1u << i);
  return own.rows == 1 || (in->flags & ARN_TENSOR_CONST) != 0;
}

// Sets p->work and p->rows. Returns how many dimensions, from the right, one row takes.
static int32_t cut_rows(arn_prepare *p, arn__broadcast *b, const arn_tensor *inputs, uint32_t count,
                        const arn_tensor *out) {
  const arn__rows_shape rows = arn__rows_of(out);
  const int32_t k = out->rank - 1 - rows.axis;
  bool cut = rows.rows > 1;
  for (uint32_t i = 0; i < count && cut; i++) cut = align_rows(b, &inputs[i], i, k);
  p->work = cut ? ARN_ROWS : ARN_WHOLE;
  p->rows = cut ? rows.rows : 1;
  if (cut) return k;
  b->rows_aligned = 0;
  b->rows_repeated = 0;
  return ARN_MAX_RANK;
}

// Bit i: input i has one element along the dimension.
static uint32_t repeats_at(const arn_tensor *inputs, uint32_t count, int32_t k) {
  uint32_t repeats = 0;
  for (uint32_t i = 0; i < count; i++) repeats |= (uint32_t)(dim_at(&inputs[i], k) == 1) << i;
  return repeats;
}

static void add_group(arn__broadcast *b, uint32_t size, uint32_t repeats) {
  for (uint32_t i = 0; i < ARN__BROADCAST_INPUTS; i++) {
    b->repeated[i] = (uint8_t)(b->repeated[i] | (repeats >> i & 1) << b->groups);
  }
  b->words[b->groups++] = size;
}

static void group_dims(arn__broadcast *b, const arn_tensor *inputs, uint32_t count,
                       const arn_tensor *out, int32_t dims) {
  uint32_t last = UINT32_MAX;
  for (int32_t k = dims - 1; k >= 0; k--) {
    const int32_t size = dim_at(out, k);
    if (size == 1) continue;
    const uint32_t repeats = repeats_at(inputs, count, k);
    if (repeats == last) {
      b->words[b->groups - 1] *= (uint32_t)size;
    } else {
      add_group(b, (uint32_t)size, repeats);
    }
    last = repeats;
  }
  if (b->groups == 0) add_group(b, 1, b->rows_repeated);
}

// An input's memory may be the output's where each element is read at or behind the place it is
// written to. Narrower outputs are chars (bool), for which compilers assume nothing about aliasing.
static uint32_t in_place_bits(const arn_prepare *p, const arn__broadcast *b,
                              const arn_tensor *inputs, uint32_t count, const arn_tensor *out) {
  const uint32_t out_bytes = arn_type_bytes((arn_type)out->type);
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t in_bytes = arn_type_bytes((arn_type)inputs[i].type);
    const bool same_rows = p->work == ARN_WHOLE || (b->rows_aligned >> i & 1) != 0;
    const bool same_size = in_bytes == out_bytes || (out_bytes == 1 && in_bytes > 1);
    bits |= (uint32_t)(same_rows && same_size && inputs[i].count == out->count) << i;
  }
  return bits;
}

void arn__broadcast_prepare(arn_prepare *p, arn__broadcast *b, const arn_tensor *inputs,
                            uint32_t count, const arn_tensor *out) {
  memset(b, 0, sizeof *b);
  const int32_t dims = cut_rows(p, b, inputs, count, out);
  group_dims(b, inputs, count, out, dims);
  p->in_place = in_place_bits(p, b, inputs, count, out);
  arn__broadcast_keep(p, b, NULL, 0);
}

void arn__broadcast_keep(arn_prepare *p, arn__broadcast *b, const void *params, uint32_t bytes) {
  if (bytes > 0) memcpy(b->words + b->groups, params, bytes);
  p->state_bytes = (uint32_t)offsetof(arn__broadcast, words) + 4 * b->groups + (bytes + 3) / 4 * 4;
}

void arn__broadcast_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const arn__broadcast *b = state;
  *in = (b->rows_aligned >> input & 1) != 0 ? out : (arn_span){0, 1};
}

// ---- eval ---------------------------------------------------------------------------------------

// Where the walk over the groups of a row is. `stride`: bytes from one step of a group to the next;
// 0 where the input is repeated along it.
struct walk {
  const arn__elementwise *job;
  uint32_t groups;
  uint32_t size[ARN__BROADCAST_GROUPS + 1];
  uint32_t stride[ARN__BROADCAST_INPUTS][ARN__BROADCAST_GROUPS + 1];
  uint32_t row_bytes[ARN__BROADCAST_INPUTS];
  const uint8_t *in[ARN__BROADCAST_INPUTS];
  uint8_t *out;
};

// The two innermost groups: `outer` runs of `inner` elements.
struct block {
  const struct walk *walk;
  uint32_t outer, inner;
  uint32_t outer_stride[ARN__BROADCAST_INPUTS];  // of each input, in bytes
  bool spread[ARN__BROADCAST_INPUTS];            // a run of the input is one element
  uint32_t room;                                 // elements of an input that fit the stage
  uint8_t *stage[ARN__BROADCAST_INPUTS];         // [room] elements each
};

// What spread() writes at a time (as wide as the kernels read, where that is known to pay), and the
// stack on which all repeated elements of a step are staged.
#if defined(__GNUC__) && defined(__SSE2__)
typedef uint64_t fill __attribute__((vector_size(32), aligned(8), may_alias));
#define STAGE_BYTES 1088u
#else
typedef uint64_t fill;
#define STAGE_BYTES 224u
#endif

// Eight bytes full of an element of 1, 2, 4 or 8.
ARN__INLINE uint64_t repeat_element(const uint8_t *element, uint32_t bytes) {
  uint64_t word = *element;
  uint16_t two;
  uint32_t four;
  switch (bytes) {
    case 1: return word * UINT64_C(0x0101010101010101);
    case 2: memcpy(&two, element, sizeof two); return two * UINT64_C(0x0001000100010001);
    case 4: memcpy(&four, element, sizeof four); return four * UINT64_C(0x0000000100000001);
    default: memcpy(&word, element, sizeof word); return word;
  }
}

// out[rows][times] = in[rows], elements of `bytes`. Fills whole words, beyond the end of a row: the
// next row overwrites that, and stages have room for the last one's.
ARN__KERNEL static void spread(uint8_t *out, const uint8_t *in, uint32_t rows, uint32_t times,
                               uint32_t bytes) {
  for (uint32_t r = 0; r < rows; r++, in += bytes, out += times * bytes) {
    const fill words = (fill){0} + repeat_element(in, bytes);
    for (uint32_t at = 0; at < times * bytes; at += sizeof words) {
      memcpy(out + at, &words, sizeof words);
    }
  }
}

// Runs of more elements than half a stage: one by one, in pieces of the stage where an input has
// only one element for the run.
static bool run_long(const struct block *b) {
  const arn__elementwise *job = b->walk->job;
  uint8_t *out = b->walk->out;
  bool pieces = false, good = true;
  for (uint32_t i = 0; i < job->inputs; i++) pieces = pieces || b->spread[i];
  const uint32_t step = pieces && b->room < b->inner ? b->room : b->inner;
  for (uint32_t n = 0; n < b->outer; n++) {
    const void *in[ARN__BROADCAST_INPUTS];
    for (uint32_t i = 0; i < job->inputs; i++) {
      const uint8_t *run = b->walk->in[i] + (size_t)n * b->outer_stride[i];
      in[i] = b->spread[i] ? b->stage[i] : run;
      if (b->spread[i] && (n == 0 || b->outer_stride[i] != 0)) {
        spread(b->stage[i], run, 1, step, job->in_bytes[i]);
      }
    }
    for (uint32_t at = 0; at < b->inner; at += step) {
      const uint32_t count = b->inner - at < step ? b->inner - at : step;
      good = job->kernel(job->params, out, in, count) && good;
      out += (size_t)count * job->out_bytes;
      for (uint32_t i = 0; i < job->inputs; i++) {
        if (!b->spread[i]) in[i] = (const uint8_t *)in[i] + (size_t)count * job->in_bytes[i];
      }
    }
  }
  return good;
}

// Fills an input's stage for `runs` short runs.
static void stage_runs(const struct block *b, uint32_t i, const uint8_t *from, uint32_t runs) {
  const uint32_t bytes = b->walk->job->in_bytes[i], run_bytes = b->inner * bytes;
  uint8_t *to = b->stage[i];
  if (b->spread[i]) {
    const bool each = b->outer_stride[i] != 0;
    spread(to, from, each ? runs : 1, each ? b->inner : runs * b->inner, bytes);
    return;
  }
  for (uint32_t n = 0; n < runs; n++, to += run_bytes) memcpy(to, from, run_bytes);
}

// Short runs: as many at once as fit the stage, so that the kernel gets something to chew. An input
// that is the same for every run is staged once.
static bool run_short(const struct block *b) {
  const arn__elementwise *job = b->walk->job;
  const uint32_t most = b->room / b->inner, runs = most < b->outer ? most : b->outer;
  bool good = true;
  for (uint32_t n = 0; n < b->outer; n += runs) {
    const uint32_t now = b->outer - n < runs ? b->outer - n : runs;
    const void *in[ARN__BROADCAST_INPUTS];
    for (uint32_t i = 0; i < job->inputs; i++) {
      const uint8_t *from = b->walk->in[i] + (size_t)n * b->outer_stride[i];
      const bool direct = !b->spread[i] && b->outer_stride[i] != 0;
      if (!direct && (n == 0 || b->outer_stride[i] != 0)) stage_runs(b, i, from, now);
      in[i] = direct ? from : b->stage[i];
    }
    uint8_t *out = b->walk->out + (size_t)n * b->inner * job->out_bytes;
    good = job->kernel(job->params, out, in, now * b->inner) && good;
  }
  return good;
}

// Bytes of stage for one input, without the word that spread() may write beyond. A multiple of 32,
// as suits vectors.
static uint32_t stage_of(const arn__elementwise *job, uint32_t *room) {
  const uint32_t bytes = (STAGE_BYTES / job->inputs - (uint32_t)sizeof(fill)) / 32 * 32;
  uint32_t widest = 1;
  for (uint32_t i = 0; i < job->inputs; i++) {
    if (job->in_bytes[i] > widest) widest = job->in_bytes[i];
  }
  *room = bytes / widest;
  return bytes;
}

static bool run_repeated(const struct walk *w) {
  uint64_t stage[STAGE_BYTES / sizeof(uint64_t)];
  struct block b = {.walk = w, .outer = 1, .inner = w->size[w->groups - 1]};
  if (w->groups > 1) b.outer = w->size[w->groups - 2];
  const uint32_t stage_bytes = stage_of(w->job, &b.room);
  for (uint32_t i = 0; i < w->job->inputs; i++) {
    b.stage[i] = (uint8_t *)stage + i * (stage_bytes + sizeof(fill));
    b.spread[i] = w->stride[i][w->groups - 1] == 0;
    b.outer_stride[i] = w->groups > 1 ? w->stride[i][w->groups - 2] : 0;
  }
  return 2 * b.inner > b.room || b.outer == 1 ? run_long(&b) : run_short(&b);
}

static bool run_plain(const struct walk *w) {
  const void *in[ARN__BROADCAST_INPUTS];
  for (uint32_t i = 0; i < w->job->inputs; i++) in[i] = w->in[i];
  return w->job->kernel(w->job->params, w->out, in, w->size[0]);
}

// Steps the groups before the two innermost, as an odometer. Says false after the last position.
static bool step_outer(struct walk *w, uint32_t *position) {
  for (uint32_t g = w->groups - 2; g-- > 0;) {
    const bool more = ++position[g] < w->size[g];
    for (uint32_t i = 0; i < w->job->inputs; i++) {
      const size_t stride = w->stride[i][g];
      w->in[i] = more ? w->in[i] + stride : w->in[i] - (w->size[g] - 1) * stride;
    }
    if (more) return true;
    position[g] = 0;
  }
  return false;
}

static bool run_row(struct walk *w) {
  if (w->groups <= 2) return run_repeated(w);
  uint32_t position[ARN__BROADCAST_GROUPS] = {0};  // of all groups but two, at most
  const size_t block_bytes =
      (size_t)w->size[w->groups - 1] * w->size[w->groups - 2] * w->job->out_bytes;
  bool good = true;
  do {
    good = run_repeated(w) && good;
    w->out += block_bytes;
  } while (step_outer(w, position));
  return good;
}

// Sets sizes and strides. Returns the elements of a row of the output.
static uint32_t open_walk(struct walk *w, const arn__broadcast *b) {
  uint32_t elements = 1;
  w->groups = b->groups;
  for (uint32_t i = 0; i < w->job->inputs; i++) w->row_bytes[i] = w->job->in_bytes[i];
  for (uint32_t g = b->groups; g-- > 0;) {
    w->size[g] = b->words[g];
    elements *= b->words[g];
    for (uint32_t i = 0; i < w->job->inputs; i++) {
      const bool repeated = (b->repeated[i] >> g & 1) != 0;
      w->stride[i][g] = repeated ? 0 : w->row_bytes[i];
      if (!repeated) w->row_bytes[i] *= b->words[g];
    }
  }
  return elements;
}

// Says whether rows follow each other everywhere.
static bool is_contiguous(const arn__broadcast *b, const arn_rows *out, const arn_rows *in,
                          uint32_t inputs) {
  bool contiguous = out->table == NULL;
  for (uint32_t i = 0; i < inputs; i++) {
    const bool aligned = (b->rows_aligned >> i & 1) != 0;
    contiguous = contiguous && (!aligned || in[i].table == NULL);
  }
  return contiguous;
}

// Makes `count` contiguous rows an outermost group, or more of the one there is.
static void add_rows(struct walk *w, const arn__broadcast *b, uint32_t count) {
  bool merges = true;
  for (uint32_t i = 0; i < w->job->inputs; i++) {
    merges = merges && (b->rows_repeated >> i & 1) == (b->repeated[i] & 1);
  }
  if (merges) {
    w->size[0] *= count;
    return;
  }
  memmove(w->size + 1, w->size, w->groups * sizeof w->size[0]);
  w->size[0] = count;
  for (uint32_t i = 0; i < w->job->inputs; i++) {
    memmove(w->stride[i] + 1, w->stride[i], w->groups * sizeof w->stride[i][0]);
    w->stride[i][0] = (b->rows_repeated >> i & 1) != 0 ? 0 : w->row_bytes[i];
  }
  w->groups++;
}

// Sets the addresses of row `r`.
static void seek(struct walk *w, const arn__broadcast *b, const arn_rows *in, uint32_t r) {
  for (uint32_t i = 0; i < w->job->inputs; i++) {
    const bool aligned = (b->rows_aligned >> i & 1) != 0;
    const bool repeated = (b->rows_repeated >> i & 1) != 0;
    w->in[i] = arn_row(&in[i], aligned ? r : 0);
    if (!aligned && !repeated) w->in[i] += (size_t)r * w->row_bytes[i];
  }
}

arn_status arn__broadcast_run(const arn_eval *e, const arn__broadcast *b,
                              const arn__elementwise *job) {
  struct walk w = {.job = job};
  const uint32_t elements = open_walk(&w, b);
  if (elements == 0) return ARN_OK;
  const arn_rows out = arn_eval_output(e, 0, elements * job->out_bytes);
  arn_rows in[ARN__BROADCAST_INPUTS];
  bool plain = b->groups == 1 && b->rows_repeated == 0;
  for (uint32_t i = 0; i < job->inputs; i++) {
    in[i] = arn_eval_input(e, i, w.row_bytes[i]);
    plain = plain && b->repeated[i] == 0;
  }
  uint32_t first = e->span.first, count = e->span.count;
  if (count > 1 && is_contiguous(b, &out, in, job->inputs)) {
    add_rows(&w, b, count);
    count = 1;
  }
  bool good = true;
  for (; count > 0; first++, count--) {
    w.out = arn_row(&out, first);
    seek(&w, b, in, first);
    good = (plain ? run_plain(&w) : run_row(&w)) && good;
  }
  return good ? ARN_OK : arn_eval_fail(e, job->fault, 0, 0);
}
