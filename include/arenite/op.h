// The operator contract: what an operator is to the engine. Built-in and custom ones are the same.
//
// An operator is one constant record. The engine calls
//   prepare  once per node while starting: check types, shapes and options, fill `state`, and ask
//            for memory. It must refuse whatever eval cannot compute exactly.
//   rows     from planners: which rows of an input a span of output rows reads. Pure arithmetic.
//   eval     for a span of rows, as often as the plan cuts the node into steps. Reads `state`,
//            which may then lie in flash.
//
// Rows. The rows of a tensor run along its outermost non-unit axis after batch: [1,H,W,C] has H
// rows of W*C elements, [1,1,W,C] has W rows of C, [1,T,C] has T. Batch above 1 or rank below 3:
// one row. Inside a row, elements are contiguous. Rows need not be neighbours: an operator reaches
// a row only through arn_row(). How a node may be cut:
//   ARN_WHOLE  one step; all tensors contiguous.
//   ARN_ROWS   a step computes output rows [first, first + count) of all outputs, in any partition
//              of the rows into ascending spans. A step reads only the input rows that `rows`
//              names, and writes only its own output rows.
//   ARN_FOLD   a step takes input rows [first, first + count) of input 0 into an accumulator
//              (`fold`, kept by the engine from the first step to the last) and the step that takes
//              the last row writes the whole output. A single step over all rows gets fold == NULL.
// Inputs other than constants are valid only for rows named by `rows`; everything else may be
// anybody's memory.
//
// Aliasing. Outputs never overlap inputs, with these exceptions, all asked for by prepare:
//   in_place   bit i: row r of output 0 may be the same memory as row r of input i (equal row bytes
//              or smaller output rows starting at the same address); eval must read before it
// writes.
//   views      an output that is part of an input's bytes (reshape), or an input that may be
//              computed right inside the output (concatenation). Where the plan made it so, both
//              addresses are equal and there is nothing to copy: compare them; else copy.
#ifndef ARENITE_OP_H
#define ARENITE_OP_H

#include "arenite/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARN_STATE_MAX_BYTES 256u

typedef enum arn_work { ARN_WHOLE = 0, ARN_ROWS = 1, ARN_FOLD = 2 } arn_work;

// A span of rows.
typedef struct arn_span {
  uint32_t first, count;
} arn_span;

struct arn__plan_builder;
struct arn_op;
struct arn_op_list;

// What prepare sees and answers. Fields below "answers" start as zero.
typedef struct arn_prepare {
  const arn_model *model;
  const arn_subgraph *subgraph;
  const arn_node *node;
  const struct arn_op *op;
  const struct arn_op_list *ops;
  int32_t subgraph_index, node_index;
  arn_error *error;                    // may be NULL; use arn_refuse()
  struct arn__plan_builder *builder;   // the engine's

  // answers
  arn_work work;
  uint32_t rows;              // rows that a node may be cut into (ARN_ROWS, ARN_FOLD); 0 is 1
  uint32_t in_place;          // bit i: output 0 may share memory with input i, see above
  uint32_t scratch_bytes;     // contiguous, 16-byte aligned, undefined at every step
  uint32_t fold_bytes;        // ARN_FOLD: accumulator, 16-byte aligned, undefined at the first step
  // ARN_ROWS: rows from r on read none of the first r * advance bytes of input 0 (planes, of which
  // each row of the output takes a little, are rows that die all at once at the end)
  uint32_t advance;
  uint32_t persistent_bytes;  // kept between invocations, zero at start and after a reset
  // of `state` that eval and rows read: a prefix, 4-byte aligned; 0: all
  uint32_t state_bytes;
  uint32_t view_input;        // set by arn_prepare_view: the input, plus one
  uint32_t call_count;        // control flow: how many of `calls` are set
  int32_t calls[2];           // subgraphs that eval may ask to run
} arn_prepare;

// Rows of one tensor as eval sees them.
typedef struct arn_rows {
  uint8_t *base;           // NULL: the optional tensor is absent
  const uint32_t *table;   // byte offsets of rows from base; NULL: rows follow each other
  uint32_t row_bytes;
} arn_rows;

// Returns the address of a row. Needs: row < rows of the tensor, and alive.
static inline uint8_t *arn_row(const arn_rows *rows, uint32_t row) {
  return rows->base + (rows->table ? rows->table[row] : row * rows->row_bytes);
}

// What eval returns to have a subgraph run: the engine runs call->subgraph and then calls eval
// again.
#define ARN_CALL ((arn_status)2)

// A request of a control-flow operator (see src/ops/control.c). The subgraphs are those that
// prepare named in `calls`; they run in the node's scratch, one at a time.
typedef struct arn_call {
  int32_t subgraph;           // set by eval: to run next
  uint32_t phase;             // 0 at the first eval of a step, then as eval left it
  const uint32_t *places[2];  // of the tensors of calls[0], calls[1]
  uint8_t *dynamic;           // their dynamic region
  uint8_t *arena;
} arn_call;

// What eval sees.
typedef struct arn_eval {
  const arn_model *model;
  const struct arn_op *op;
  uint8_t *arena;           // aligned start of the arena
  uint8_t *dynamic;         // start of this subgraph's dynamic region
  const uint32_t *places;   // one word a tensor; see src/graph/place.h
  const uint32_t *tables;   // row tables that places refer to
  uint32_t inputs_at, input_count, outputs_at, output_count;  // int32 tensor indices in the file
  arn_span span;            // rows to compute
  void *scratch;            // NULL where none was asked for
  void *fold;               // NULL where the node runs in one step
  void *persistent;         // NULL where none was asked for
  arn_error *error;         // may be NULL; use arn_eval_fail()
  arn_call *call;           // control flow only
} arn_eval;

typedef struct arn_op {
  const char *name;      // of the schema ("CONV_2D"), or the custom operator's name
  int16_t code;          // BuiltinOperator of the schema, or ARN_CODE_CUSTOM
  uint16_t state_bytes;  // <= ARN_STATE_MAX_BYTES; 4-byte aligned; no pointers in it
  // bit t: the type t of input 0 that is taken (for documentation and refusals)
  uint32_t types;
  uint32_t folds;        // bit i < 31: input i may be a constant behind DEQUANTIZE or DENSIFY;
                         // prepare then sees the constant itself (float16, int8; sparse only with
                         // ARN_FOLDS_SPARSE, else DENSIFY is run)
  // What prepare and eval may call by type, where records of one operator take different types (see
  // arenite/typed_ops.def): the family's own table. Custom operators leave it NULL.
  const void *kinds;
  arn_status (*prepare)(arn_prepare *p, void *state);
  void (*rows)(const void *state, uint32_t input, arn_span out, arn_span *in);  // ARN_ROWS only
  arn_status (*eval)(const arn_eval *e, const void *state);
} arn_op;

#define ARN_TYPE_BIT(type) (1u << (type))
#define ARN_FOLDS_SPARSE (1u << 31)

// Reads, proves and runs plans that files carry: by rows ("arenite.plan") and by tensors
// ("OfflineMemoryAllocation").
typedef struct arn_plans arn_plans;
extern const arn_plans arn_file_plans;

// What an application links: `static const arn_op *const ops[] = {&arn_op_conv_2d};`
typedef struct arn_op_list arn_op_list;
struct arn_op_list {
  const arn_op *const *ops;
  uint32_t count;
  // &arn_file_plans, or NULL: a file with a row plan is then refused (unless ARN_IGNORE_PLAN), and
  // 7 KB less are linked.
  const arn_plans *plans;
};

// ---- for prepare --------------------------------------------------------------------------------

// Reads input / output `i` of the node. Fails: ERR_MODEL (TENSOR_REQUIRED) where it is absent, and
// ERR_UNSUPPORTED (DIMENSION) where a dimension is unknown. On failure the error is filled.
ARN_MUST_CHECK arn_status arn_prepare_input(const arn_prepare *p, uint32_t i, arn_tensor *tensor);
ARN_MUST_CHECK arn_status arn_prepare_output(const arn_prepare *p, uint32_t i, arn_tensor *tensor);

// Says whether optional input `i` is present (index not -1, and within the count).
bool arn_prepare_has_input(const arn_prepare *p, uint32_t i);

// Fails with TENSOR/OUTPUT count errors unless least <= inputs <= most and outputs match.
ARN_MUST_CHECK arn_status arn_prepare_counts(const arn_prepare *p, uint32_t least, uint32_t most,
                                             uint32_t outputs);

// Fills the error (status ERR_UNSUPPORTED unless arn_refuse_model: ERR_MODEL) and returns the
// status. `tensor` may be NULL.
arn_status arn_refuse(const arn_prepare *p, arn_what what, const arn_tensor *tensor);
arn_status arn_refuse_model(const arn_prepare *p, arn_what what, const arn_tensor *tensor);

// Reads field `id` of the node's builtin options; `otherwise` where options or field are absent.
int32_t arn_option_i32(const arn_prepare *p, uint32_t id, int32_t otherwise);
int32_t arn_option_u8(const arn_prepare *p, uint32_t id, uint8_t otherwise);   // byte enums, bool
int32_t arn_option_i8(const arn_prepare *p, uint32_t id, int8_t otherwise);
float arn_option_f32(const arn_prepare *p, uint32_t id, float otherwise);
// A vector of elements of `element_bytes`; returns its position in the file and its count, or 0.
uint32_t arn_option_vector(const arn_prepare *p, uint32_t id, uint32_t element_bytes,
                           uint32_t *count);

// Says that output `output` is the bytes of input `input` from `byte_offset` on.
void arn_prepare_view(arn_prepare *p, uint32_t output, uint32_t input, uint32_t byte_offset);

// Says that input `input` may be computed in place of bytes [byte_offset, ...) of output 0.
void arn_prepare_inside(arn_prepare *p, uint32_t input, uint32_t byte_offset);

// ---- for eval -----------------------------------------------------------------------------------

// Returns the rows of input / output `i`, `row_bytes` bytes each (the operator knows; used where
// the tensor is contiguous). base is NULL for an absent optional input.
arn_rows arn_eval_input(const arn_eval *e, uint32_t i, uint32_t row_bytes);
arn_rows arn_eval_output(const arn_eval *e, uint32_t i, uint32_t row_bytes);

// Returns the start of a contiguous input / output (constants, whole-tensor operators); NULL where
// an optional input is absent.
const void *arn_eval_in(const arn_eval *e, uint32_t i);
void *arn_eval_out(const arn_eval *e, uint32_t i);

// Fills the error with ERR_DATA and returns it.
arn_status arn_eval_fail(const arn_eval *e, arn_what what, uint32_t need, uint32_t have);

#ifdef __cplusplus
}
#endif
#endif
