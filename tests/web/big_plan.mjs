// Prints an arenite.plan of 20 layers by 250 rows, run row by row: 5,000 steps, 5,250 row groups.
const LAYERS = 20;
const ROWS = 250;
const STEPS = LAYERS * ROWS;
const ROW_BYTES = 96;
const OUT_BYTES = 4;
const stepOf = (layer, row) => row * LAYERS + layer;
const live = new Array(STEPS).fill(0);
const high = new Array(STEPS).fill(0);

function groupOf(tensor, row) {
  const last = tensor === LAYERS ? STEPS - 1 : stepOf(tensor, Math.min(row + 2, ROWS - 1));
  const first = tensor === 0 ? 0 : stepOf(tensor - 1, row);
  const ring = ROWS * OUT_BYTES + (6 * tensor + (row % 6)) * ROW_BYTES;
  const whole = ROWS * OUT_BYTES + (6 * LAYERS + row) * ROW_BYTES;
  const bytes = tensor === LAYERS ? OUT_BYTES : ROW_BYTES;
  const offset = tensor === LAYERS ? row * OUT_BYTES : tensor === 0 ? whole : ring;
  for (let step = first; step <= last; step++) {
    live[step] += bytes;
    high[step] = Math.max(high[step], offset + bytes);
  }
  return {first_row: row, rows: 1, offset, bytes, first_step: first, last_step: last};
}

function tensorOf(index) {
  const groups = Array.from({length: ROWS}, (_, row) => groupOf(index, row));
  return {
    index,
    name: 'net/layer_' + index + '/out',
    type: 'INT8',
    shape: [1, ROWS, 1, groups[0].bytes],
    bytes: ROWS * groups[0].bytes,
    role: index === 0 ? 'input' : index === LAYERS ? 'output' : 'intermediate',
    region: 'rows',
    offset: 0,
    first_step: 0,
    last_step: STEPS - 1,
    producer: index - 1,
    owner: index,
    rows: ROWS,
    row_groups: groups,
  };
}

const tensors = Array.from({length: LAYERS + 1}, (_, index) => tensorOf(index));
const steps = live.map((bytes, step) => ({
  step,
  node: step % LAYERS,
  op: 'CONV_2D',
  first_row: Math.floor(step / LAYERS),
  rows: 1,
  by_rows: false,
  skipped: false,
  macs: 9216,
  live_bytes: bytes,
  high_water: high[step],
  bound_bytes: bytes,
  scratch_bytes: 0,
  scratch_offset: 0,
  state_bytes: 0,
  live: [],
}));
const dynamic = Math.max(...high);
const most = Math.max(...live);
console.log(
  JSON.stringify({
    schema: 'arenite.plan',
    version: 1,
    model: 'big.tflite',
    engine: '0',
    planner: 'rows',
    alignment: 16,
    arena_bytes: 512 + dynamic,
    static_bytes: 512,
    dynamic_peak_bytes: dynamic,
    peak_offset: 512,
    peak_step: live.indexOf(most),
    lower_bound_bytes: most,
    macs: 9216 * STEPS,
    weight_bytes: 1000,
    breakdown: {
      tensor_data: most,
      alignment_padding: 0,
      engine_records: 512,
      op_data: 0,
      scratch: 0,
      variables: 0,
      weights_copied: 0,
      init_temporary: 0,
      unused: dynamic - most,
    },
    tensors,
    steps,
    nodes: Array.from({length: LAYERS}, (_, layer) => ({inputs: [layer], outputs: [layer + 1]})),
  }),
);
