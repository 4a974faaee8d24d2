// Joining, splitting, gathering, scattering and space rearrangement against their definitions,
// element by element, over random shapes, with indices that are constant or only known at run time.
#include "tests/unit/op_rig.h"

#include <math.h>

enum { TRIALS = 150 };

static rig r;

static bool late(void) { return draw(4) == 0; }

// Sets options: their type and values.
static void set_options(int32_t type, double a, double b) {
  r.options_type = type;
  r.options[0] = a;
  r.options[1] = b;
}

// ---- CONCATENATION, PACK, SPLIT, SPLIT_V, UNPACK ------------------------------------------------

// Draws a whole and pieces of it along an axis; the elements of the whole are set.
static uint32_t draw_pieces(rig_tensor *whole, rig_tensor *pieces, uint32_t count, bool alike) {
  rig_shape(whole, 1, 5);
  const uint32_t axis = draw(whole->rank);
  const int32_t length = (int32_t)draw(3) + 1;
  whole->dims[axis] = 0;
  for (uint32_t i = 0; i < count; i++) {
    pieces[i].type = whole->type;
    pieces[i].rank = whole->rank;
    memcpy(pieces[i].dims, whole->dims, sizeof whole->dims);
    pieces[i].dims[axis] = alike ? length : 1 + (int32_t)draw(4);
    whole->dims[axis] += pieces[i].dims[axis];
  }
  rig_fill(whole);
  return axis;
}

static void cut(const rig_tensor *whole, rig_tensor *pieces, uint32_t count, uint32_t axis) {
  int32_t at[ARN_MAX_RANK], first = 0;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t flat = 0; flat < rig_count(&pieces[i]); flat++) {
      rig_split(&pieces[i], flat, at);
      at[axis] += first;
      rig_want(&pieces[i], flat, whole, rig_join(whole, at));
    }
    first += pieces[i].dims[axis];
  }
}

static void drop_axis(rig_tensor *t, uint32_t axis) {
  t->rank--;
  for (uint32_t i = axis; i < t->rank; i++) t->dims[i] = t->dims[i + 1];
}

static double signed_axis(uint32_t axis, uint32_t rank) {
  return draw(2) ? (double)axis : (double)axis - rank;
}

static void test_concatenation(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 2 * TRIALS; i++) {
    rig_begin(&r, 2, 1 + draw(5), 1);
    const uint32_t axis = draw_pieces(&r.out[0], r.in, r.inputs, draw(2));
    cut(&r.out[0], r.in, r.inputs, axis);
    set_options(ARN_OPTIONS_CONCATENATION, signed_axis(axis, r.out[0].rank), 0);
    for (uint32_t k = 1; k < r.inputs; k++) r.in[k].is_constant = rig_count(&r.in[k]) && !draw(4);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 4);
}

static void test_pack(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, 83, 1 + draw(5), 1);
    const uint32_t axis = draw_pieces(&r.out[0], r.in, r.inputs, true);
    for (uint32_t k = 0; k < r.inputs; k++) r.in[k].dims[axis] = 1;
    r.out[0].dims[axis] = (int32_t)r.inputs;
    rig_fill(&r.out[0]);
    cut(&r.out[0], r.in, r.inputs, axis);
    for (uint32_t k = 0; k < r.inputs; k++) drop_axis(&r.in[k], axis);
    set_options(ARN_OPTIONS_PACK, r.inputs, signed_axis(axis, r.out[0].rank));
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 8);
}

static void test_split(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, 49, 2, 1 + draw(4));
    const uint32_t axis = draw_pieces(&r.in[1], r.out, r.outputs, true);
    cut(&r.in[1], r.out, r.outputs, axis);
    const int32_t signed_one = (int32_t)signed_axis(axis, r.in[1].rank);
    rig_index(&r.in[0], &signed_one, 1, true);
    set_options(ARN_OPTIONS_SPLIT, r.outputs, 0);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 8);
}

static void test_split_v(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t sizes[RIG_TENSORS];
    rig_begin(&r, 102, 3, 1 + draw(4));
    const uint32_t axis = draw_pieces(&r.in[0], r.out, r.outputs, draw(4) == 0);
    cut(&r.in[0], r.out, r.outputs, axis);
    for (uint32_t k = 0; k < r.outputs; k++) sizes[k] = r.out[k].dims[axis];
    if (draw(2)) sizes[draw(r.outputs)] = -1;
    const int32_t signed_one = (int32_t)signed_axis(axis, r.in[0].rank);
    rig_index(&r.in[1], sizes, r.outputs, !late());
    rig_index(&r.in[2], &signed_one, 1, true);
    set_options(ARN_OPTIONS_SPLIT_V, r.outputs, 0);
    rig_tally_check(&tally, &r);
    sizes[0] = r.out[0].dims[axis] + 1;
    rig_index(&r.in[1], sizes, r.outputs, false);
    rig_refuse(&r, ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 8);
}

static void test_unpack(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, 88, 1, 1 + draw(4));
    const uint32_t axis = draw_pieces(&r.in[0], r.out, r.outputs, true);
    for (uint32_t k = 0; k < r.outputs; k++) r.out[k].dims[axis] = 1;
    r.in[0].dims[axis] = (int32_t)r.outputs;
    rig_fill(&r.in[0]);
    cut(&r.in[0], r.out, r.outputs, axis);
    for (uint32_t k = 0; k < r.outputs; k++) drop_axis(&r.out[k], axis);
    set_options(ARN_OPTIONS_UNPACK, r.outputs, signed_axis(axis, r.in[0].rank));
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

// 8-bit inputs with scales of their own: TensorFlow Lite's formula for uint8.
static void test_concatenation_rescales(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, 2, 2, 1);
    const uint32_t axis = draw_pieces(&r.out[0], r.in, 2, true);
    const arn_type type = draw(2) ? ARN_INT8 : ARN_UINT8;
    const int32_t low = type == ARN_INT8 ? -128 : 0;
    rig_tensor *tensors[3] = {&r.in[0], &r.in[1], &r.out[0]};
    for (uint32_t k = 0; k < 3; k++) {
      tensors[k]->type = type;
      tensors[k]->scale = (float)(1 + draw(1000)) / 512.0f;
      tensors[k]->zero = low + (int32_t)draw(256);
    }
    rig_fill(&r.out[0]);
    cut(&r.out[0], r.in, 2, axis);
    int32_t first = 0;
    for (uint32_t k = 0; k < 2; k++) {
      const float scale = r.in[k].scale * (1.0f / r.out[0].scale);
      const float offset = -(float)r.in[k].zero * scale;
      for (uint32_t flat = 0; flat < rig_count(&r.in[k]); flat++) {
        int32_t at[ARN_MAX_RANK];
        const uint8_t byte = r.in[k].bytes[flat];
        const float value = type == ARN_INT8 ? (float)(int8_t)byte : (float)byte;
        int32_t want = (int32_t)roundf(value * scale + offset) + (int32_t)r.out[0].zero;
        want = want < low ? low : want > low + 255 ? low + 255 : want;
        rig_split(&r.in[k], flat, at);
        at[axis] += first;
        r.out[0].bytes[rig_join(&r.out[0], at)] = (uint8_t)want;
      }
      first += r.in[k].dims[axis];
    }
    set_options(ARN_OPTIONS_CONCATENATION, axis, 0);
    rig_check(&r);
  }
}

// ---- GATHER, GATHER_ND, SCATTER_ND --------------------------------------------------------------

// Appends dimensions [from, to) of another tensor.
static void append_dims(rig_tensor *t, const rig_tensor *of, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) t->dims[t->rank++] = of->dims[i];
}

static void test_gather(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 2 * TRIALS; i++) {
    static int32_t indices[2048];
    int32_t at[ARN_MAX_RANK], from[ARN_MAX_RANK], pick[ARN_MAX_RANK];
    rig_begin(&r, 36, 2, 1);
    rig_shape(&r.in[0], 1, 4);
    rig_fill(&r.in[0]);
    const uint32_t axis = draw(r.in[0].rank), batches = draw(axis + 1);
    const uint32_t more = draw(3);
    rig_tensor shape = {.rank = batches + more};
    for (uint32_t k = 0; k < shape.rank; k++) {
      shape.dims[k] = k < batches ? r.in[0].dims[k] : 1 + (int32_t)draw(3);
    }
    for (uint32_t k = 0; k < rig_count(&shape); k++) {
      indices[k] = (int32_t)draw((uint32_t)r.in[0].dims[axis]);
    }
    rig_index(&r.in[1], indices, rig_count(&shape), draw(2));
    r.in[1].rank = shape.rank;
    memcpy(r.in[1].dims, shape.dims, sizeof shape.dims);
    r.out[0].type = r.in[0].type;
    append_dims(&r.out[0], &r.in[0], 0, axis);
    append_dims(&r.out[0], &shape, batches, shape.rank);
    append_dims(&r.out[0], &r.in[0], axis + 1, r.in[0].rank);
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      memcpy(pick, at, batches * sizeof at[0]);
      memcpy(pick + batches, at + axis, more * sizeof at[0]);
      memcpy(from, at, axis * sizeof at[0]);
      from[axis] = indices[rig_join(&shape, pick)];
      memcpy(from + axis + 1, at + axis + more, (r.in[0].rank - axis - 1) * sizeof at[0]);
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], from));
    }
    set_options(ARN_OPTIONS_GATHER, signed_axis(axis, r.in[0].rank), batches);
    rig_tally_check(&tally, &r);
    const int64_t outside = draw(2) ? -1 : r.in[0].dims[axis];
    memcpy(r.in[1].bytes, &outside, rig_element(&r.in[1]));
    rig_refuse(&r, ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 6);
}

static void test_gather_nd(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t indices[512], at[ARN_MAX_RANK], from[ARN_MAX_RANK];
    rig_begin(&r, 107, 2, 1);
    rig_shape(&r.in[0], 1, 4);
    rig_fill(&r.in[0]);
    const uint32_t tuple = 1 + draw(r.in[0].rank), outer = draw(4);
    rig_tensor shape = {.rank = outer + 1};
    for (uint32_t k = 0; k < outer; k++) shape.dims[k] = 1 + (int32_t)draw(4);
    if (outer > 1) shape.dims[0] = 1;
    shape.dims[outer] = (int32_t)tuple;
    for (uint32_t k = 0; k < rig_count(&shape); k++) {
      indices[k] = (int32_t)draw((uint32_t)r.in[0].dims[k % tuple]);
    }
    rig_index(&r.in[1], indices, rig_count(&shape), draw(2));
    r.in[1].rank = shape.rank;
    memcpy(r.in[1].dims, shape.dims, sizeof shape.dims);
    r.out[0].type = r.in[0].type;
    append_dims(&r.out[0], &shape, 0, outer);
    append_dims(&r.out[0], &r.in[0], tuple, r.in[0].rank);
    const uint32_t run = rig_count(&r.out[0]) / (rig_count(&shape) / tuple);
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      memcpy(from, indices + flat / run * tuple, tuple * sizeof from[0]);
      memcpy(from + tuple, at + outer, (r.in[0].rank - tuple) * sizeof from[0]);
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], from));
    }
    rig_tally_check(&tally, &r);
    const int64_t outside = draw(2) ? -1 : r.in[0].dims[0];
    memcpy(r.in[1].bytes, &outside, rig_element(&r.in[1]));
    rig_refuse(&r, ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 20);
}

static void test_scatter_nd(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t indices[64];
    rig_begin(&r, 122, 3, 1);
    rig_shape(&r.out[0], 1, 4);
    r.out[0].type = ARN_INT32;
    const uint32_t tuple = 1 + draw(r.out[0].rank), count = 1 + draw(6);
    rig_tensor *updates = &r.in[1];
    updates->type = ARN_INT32;
    updates->rank = 1 + r.out[0].rank - tuple;
    updates->dims[0] = (int32_t)count;
    memcpy(updates->dims + 1, r.out[0].dims + tuple, (r.out[0].rank - tuple) * sizeof(int32_t));
    rig_fill(updates);
    const uint32_t run = rig_count(updates) / count;
    uint32_t *sums = (uint32_t *)(void *)r.out[0].bytes;
    for (uint32_t k = 0; k < count; k++) {
      uint32_t at = 0;
      for (uint32_t d = 0; d < tuple; d++) {
        indices[k * tuple + d] = (int32_t)draw((uint32_t)r.out[0].dims[d]);
        at = at * (uint32_t)r.out[0].dims[d] + (uint32_t)indices[k * tuple + d];
      }
      for (uint32_t n = 0; n < run; n++) {
        uint32_t value;
        memcpy(&value, updates->bytes + 4 * (k * run + n), 4);
        sums[at * run + n] += value;
      }
    }
    rig_index(&r.in[0], indices, count * tuple, draw(2));
    r.in[0].rank = 2;
    r.in[0].dims[0] = (int32_t)count;
    r.in[0].dims[1] = (int32_t)tuple;
    rig_index(&r.in[2], r.out[0].dims, r.out[0].rank, !late());
    rig_check(&r);
    const int64_t outside = draw(2) ? -1 : r.out[0].dims[0];
    memcpy(r.in[0].bytes, &outside, rig_element(&r.in[0]));
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

// ---- DYNAMIC_UPDATE_SLICE -----------------------------------------------------------------------

static void test_dynamic_update_slice(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 2 * TRIALS; i++) {
    int32_t starts[ARN_MAX_RANK], at[ARN_MAX_RANK];
    rig_begin(&r, 151, 3, 1);
    rig_shape(&r.in[0], 1, 5);
    rig_fill(&r.in[0]);
    r.out[0] = r.in[0];
    r.in[1].type = r.in[0].type;
    r.in[1].rank = r.in[0].rank;
    for (uint32_t k = 0; k < r.in[0].rank; k++) {
      r.in[1].dims[k] = draw(2) ? r.in[0].dims[k] : 1 + (int32_t)draw((uint32_t)r.in[0].dims[k]);
      starts[k] = (int32_t)draw(8) - 2;
    }
    rig_fill(&r.in[1]);
    for (uint32_t flat = 0; flat < rig_count(&r.in[1]); flat++) {
      rig_split(&r.in[1], flat, at);
      for (uint32_t k = 0; k < r.in[0].rank; k++) {
        const int32_t most = r.in[0].dims[k] - r.in[1].dims[k];
        at[k] += starts[k] < 0 ? 0 : starts[k] > most ? most : starts[k];
      }
      rig_want(&r.out[0], rig_join(&r.out[0], at), &r.in[1], flat);
    }
    rig_index(&r.in[2], starts, r.in[0].rank, draw(2));
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 4);
}

// ---- space --------------------------------------------------------------------------------------

static void test_space_depth(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    const bool to_depth = draw(2);
    const int32_t block = 1 + (int32_t)draw(3);
    rig_begin(&r, to_depth ? 26 : 5, 1, 1);
    rig_tensor *space = to_depth ? &r.in[0] : &r.out[0], *depth = to_depth ? &r.out[0] : &r.in[0];
    rig_shape(depth, 4, 4);
    *space = *depth;
    space->dims[1] *= block;
    space->dims[2] *= block;
    depth->dims[3] *= block * block;
    rig_fill(&r.in[0]);
    for (uint32_t flat = 0; flat < rig_count(space); flat++) {
      int32_t at[4], other[4];
      rig_split(space, flat, at);
      other[0] = at[0];
      other[1] = at[1] / block;
      other[2] = at[2] / block;
      other[3] = (at[1] % block * block + at[2] % block) * space->dims[3] + at[3];
      const uint32_t there = rig_join(depth, other);
      rig_want(&r.out[0], to_depth ? there : flat, &r.in[0], to_depth ? flat : there);
    }
    set_options(to_depth ? ARN_OPTIONS_SPACE_TO_DEPTH : ARN_OPTIONS_DEPTH_TO_SPACE, block, 0);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 4);
}

static void test_space_batch(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 3 * TRIALS; i++) {
    const bool to_batch = draw(2);
    const uint32_t spatial = 1 + draw(2);
    int32_t block[2], pads[4];
    rig_begin(&r, to_batch ? 38 : 37, 3, 1);
    rig_tensor *space = to_batch ? &r.in[0] : &r.out[0], *batch = to_batch ? &r.out[0] : &r.in[0];
    rig_shape(batch, spatial + 1, spatial + 2);
    *space = *batch;
    for (uint32_t k = 0; k < spatial; k++) {
      block[k] = 1 + (int32_t)draw(3);
      const int32_t padded = batch->dims[k + 1] * block[k];
      pads[2 * k] = (int32_t)draw(3) < padded ? (int32_t)draw(2) : 0;
      pads[2 * k] = pads[2 * k] < padded ? pads[2 * k] : 0;
      const int32_t left = padded - pads[2 * k];
      pads[2 * k + 1] = (int32_t)draw((uint32_t)(left < 3 ? left : 3));
      space->dims[k + 1] = padded - pads[2 * k] - pads[2 * k + 1];
      batch->dims[0] *= block[k];
    }
    rig_fill(&r.in[0]);
    for (uint32_t flat = 0; flat < rig_count(space); flat++) {
      int32_t at[4] = {0}, other[4];
      rig_split(space, flat, at);
      memcpy(other, at, sizeof other);
      int32_t phase = 0;
      for (uint32_t k = 0; k < spatial; k++) {
        const int32_t place = at[k + 1] + pads[2 * k];
        phase = phase * block[k] + place % block[k];
        other[k + 1] = place / block[k];
      }
      other[0] = phase * space->dims[0] + at[0];
      const uint32_t there = rig_join(batch, other);
      rig_want(&r.out[0], to_batch ? there : flat, &r.in[0], to_batch ? flat : there);
    }
    rig_index(&r.in[1], block, spatial, !late());
    rig_index(&r.in[2], pads, 2 * spatial, !late());
    rig_tally_check(&tally, &r);
    pads[0]++;
    rig_index(&r.in[2], pads, 2 * spatial, false);
    rig_refuse(&r, ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_concatenation), cmocka_unit_test(test_pack),
      cmocka_unit_test(test_split),         cmocka_unit_test(test_split_v),
      cmocka_unit_test(test_unpack),        cmocka_unit_test(test_concatenation_rescales),
      cmocka_unit_test(test_gather),        cmocka_unit_test(test_gather_nd),
      cmocka_unit_test(test_scatter_nd),    cmocka_unit_test(test_dynamic_update_slice),
      cmocka_unit_test(test_space_depth),   cmocka_unit_test(test_space_batch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
