'use strict';
// The plans of this file (schema arenite.report), and what the pictures need of them: blocks of
// memory (addresses x steps), gaps between them, and who shares bytes with whom.
//
// A block covers addresses [low, high) of the arena over steps first to last, both included.

function kindOf(tensor) {
  const known = ['input', 'output'];
  return known.includes(tensor.role) ? tensor.role : 'intermediate';
}

function shortName(name) {
  const first = name.split(';')[0];
  const parts = first.split('/').filter((part) => part !== '');
  return parts.length > 2 ? parts.slice(-2).join('/') : first || '(no name)';
}

function shapeText(tensor) {
  return tensor.shape.length === 0 ? 'scalar' : tensor.shape.join('\u00d7');
}

function bytesText(bytes) {
  return bytes.toLocaleString('en-US') + '\u00a0B';
}

function hexText(address) {
  return '0x' + address.toString(16).padStart(4, '0');
}

function rowsText(block) {
  const last = block.firstRow + block.rows - 1;
  return block.rows === 1 ? 'row ' + last : 'rows ' + block.firstRow + ' to ' + last;
}

function addBlock(plan, tensor, place) {
  plan.blocks.push({
    id: plan.blocks.length,
    kind: kindOf(tensor),
    tensor,
    name: tensor.name,
    tint: 0,
    label: shortName(tensor.name),
    low: plan.base + place.offset,
    high: plan.base + place.offset + place.bytes,
    bytes: place.bytes,
    first: place.first_step,
    last: place.last_step,
    firstRow: place.first_row || 0,
    rows: place.rows || 0,
    whole: place === tensor,
  });
}

// Variables lie in the static region, always.
function addFixed(plan, tensor) {
  plan.fixed.push({
    id: -1 - plan.fixed.length,
    kind: 'variable',
    tensor,
    name: tensor.name,
    tint: plan.fixed.length % 2,
    label: shortName(tensor.name),
    low: tensor.offset,
    high: tensor.offset + tensor.bytes,
    bytes: tensor.bytes,
    first: 0,
    last: plan.stepCount - 1,
    firstRow: 0,
    rows: 0,
    whole: true,
  });
}

function addTensor(plan, tensor) {
  if (tensor.region === 'static' && tensor.bytes > 0) addFixed(plan, tensor);
  if (tensor.owner >= 0 && tensor.owner !== tensor.index) {
    const list = plan.views.get(tensor.owner) || [];
    list.push(tensor);
    plan.views.set(tensor.owner, list);
    return;
  }
  if (tensor.row_groups) {
    for (const group of tensor.row_groups) addBlock(plan, tensor, group);
  } else if (
    ['dynamic', 'rows'].includes(tensor.region) &&
    tensor.first_step >= 0 &&
    tensor.bytes > 0
  ) {
    addBlock(plan, tensor, tensor);
  }
}

// Scratch of one node over steps in a row is one block.
function addScratch(plan, step, previous) {
  const low = plan.base + step.scratch_offset;
  const same =
    previous &&
    previous.last === step.step - 1 &&
    previous.node === step.node &&
    previous.low === low &&
    previous.bytes === step.scratch_bytes;
  if (same) {
    previous.last = step.step;
    return previous;
  }
  const block = {
    id: plan.blocks.length,
    kind: 'scratch',
    tensor: null,
    name: 'scratch of ' + step.op,
    label: 'scratch',
    tint: 0,
    low,
    high: low + step.scratch_bytes,
    bytes: step.scratch_bytes,
    first: step.step,
    last: step.step,
    firstRow: 0,
    rows: 0,
    whole: true,
    node: step.node,
  };
  plan.blocks.push(block);
  return block;
}

// Accumulators of nodes that fold rows: from the node's first step to its last.
function addAccumulators(plan) {
  for (const place of plan.json.accumulators || []) {
    plan.blocks.push({
      id: plan.blocks.length,
      kind: 'scratch',
      tensor: null,
      tint: 0,
      name: 'accumulator of ' + opAt(plan, place.first_step),
      label: 'accumulator',
      low: plan.base + place.offset,
      high: plan.base + place.offset + place.bytes,
      bytes: place.bytes,
      first: place.first_step,
      last: place.last_step,
      firstRow: 0,
      rows: 0,
      whole: true,
    });
  }
}

function listLive(plan) {
  plan.live = Array.from({length: plan.stepCount}, () => []);
  for (const block of plan.blocks) {
    const last = Math.min(block.last, plan.stepCount - 1);
    for (let step = block.first; step <= last; step++) plan.live[step].push(block);
  }
  for (const list of plan.live) list.sort((a, b) => a.low - b.low || a.high - b.high);
}

// Says whether `other` was there before `block`: an input, where they begin together.
function isOlder(other, block) {
  if (other.first !== block.first) return other.first < block.first;
  if (other.kind === 'input' || block.kind === 'input') return block.kind !== 'input';
  return other.id < block.id;
}

// Blocks that begin where a block that is alive then already lies.
function listShared(plan) {
  plan.shared = [];
  for (const block of plan.blocks) {
    for (const other of plan.live[block.first] || []) {
      if (
        other === block ||
        !isOlder(other, block) ||
        other.high <= block.low ||
        other.low >= block.high
      )
        continue;
      plan.shared.push({
        older: other,
        newer: block,
        first: block.first,
        last: Math.min(other.last, block.last),
        low: Math.max(other.low, block.low),
        high: Math.min(other.high, block.high),
      });
    }
  }
}

// The steps where a block's name may stand: not where most of it shares its place.
function placeNames(plan) {
  for (const block of plan.blocks)
    ((block.nameFrom = block.first), (block.nameTo = block.last + 1));
  for (const {older, newer, first, last, low, high} of plan.shared) {
    if (high - low > 0.3 * newer.bytes && last < newer.last) {
      newer.nameFrom = Math.max(newer.nameFrom, last + 1);
    }
    if (high - low > 0.3 * older.bytes && first > older.first) {
      older.nameTo = Math.min(older.nameTo, first);
    }
  }
}

// Padding: gaps below a live block that its alignment explains. Larger ones are holes.
function listPadding(plan) {
  plan.padding = [];
  plan.hasHoles = false;
  let open = new Map();
  plan.live.forEach((list, step) => {
    const now = new Map();
    let end = plan.base;
    for (const block of list) {
      if (block.low - end >= plan.json.alignment) plan.hasHoles = true;
      else if (block.low > end) now.set(end + ':' + block.low, {low: end, high: block.low});
      end = Math.max(end, block.high);
    }
    for (const [key, gap] of now) {
      const before = open.get(key);
      if (before) now.set(key, before);
      else plan.padding.push(gap);
      const same = now.get(key);
      same.first = before ? same.first : step;
      same.last = step;
    }
    open = now;
  });
}

// Three tints, so that blocks that touch can be told apart.
function chooseTints(plan) {
  const near = Math.max(plan.json.alignment, plan.json.arena_bytes / 100);
  const order = plan.blocks.slice().sort((a, b) => a.first - b.first || a.low - b.low);
  const done = new Set();
  for (const block of order) {
    const used = new Set();
    for (const step of [block.first - 1, block.first]) {
      for (const other of plan.live[step] || []) {
        const touches = other.low <= block.high + near && block.low <= other.high + near;
        if (touches && done.has(other) && other.kind === block.kind) used.add(other.tint);
      }
    }
    block.tint = [0, 1, 2].find((tint) => !used.has(tint)) || 0;
    done.add(block);
  }
}

function readPlan(json, index) {
  const plan = {
    json,
    index,
    label: json.label,
    steps: json.steps,
    tensors: json.tensors,
    nodes: Array.isArray(json.nodes) ? json.nodes : [],
    stepCount: Math.max(1, json.steps.length),
    base: json.peak_offset,
    arena: json.arena_bytes,
    blocks: [],
    fixed: [],
    views: new Map(),
  };
  plan.steps.forEach((step, index) => {
    step.step = index;
  });
  plan.tensors.forEach((tensor, index) => {
    tensor.index = index;
  });
  for (const tensor of plan.tensors) addTensor(plan, tensor);
  let previous = null;
  for (const step of plan.steps) {
    if (step.scratch_bytes > 0) previous = addScratch(plan, step, previous);
  }
  addAccumulators(plan);
  listLive(plan);
  listShared(plan);
  placeNames(plan);
  listPadding(plan);
  chooseTints(plan);
  return plan;
}

// What a block is to a step: the words for the tag.
function partOf(plan, block, step) {
  const node = plan.nodes[plan.steps[step] ? plan.steps[step].node : -1];
  if (!block.tensor) return 'scratch';
  if (!node || !Array.isArray(node.inputs) || !Array.isArray(node.outputs)) return '';
  const own = (index) =>
    index >= 0 &&
    plan.tensors[index] &&
    (index === block.tensor.index || plan.tensors[index].owner === block.tensor.index);
  const reads = node.inputs.some(own);
  const writes = node.outputs.some(own);
  return reads && writes ? 'reads and writes' : reads ? 'reads' : writes ? 'writes' : 'held';
}

function partnersOf(plan, block, step) {
  return plan.shared.filter(
    (pair) =>
      (pair.older === block || pair.newer === block) && step >= pair.first && step <= pair.last,
  );
}

function partnerText(pair, block) {
  const bytes = bytesText(pair.high - pair.low);
  if (pair.newer === block) return 'lies over ' + bytes + ' of ' + pair.older.label;
  return bytes + ' are overwritten by ' + pair.newer.label;
}

function opAt(plan, step) {
  return plan.steps[step] ? plan.steps[step].op : '';
}

function matches(plan, query) {
  const words = query.toLowerCase().trim();
  const found = {blocks: new Set(), steps: new Set(), tensors: new Set()};
  if (words === '') return null;
  for (const tensor of plan.tensors) {
    const exact = words === '#' + tensor.index;
    if (exact || (!words.startsWith('#') && tensor.name.toLowerCase().includes(words))) {
      found.tensors.add(tensor.index);
      if (tensor.owner >= 0) found.tensors.add(tensor.owner);
    }
  }
  for (const block of plan.blocks) {
    if (block.tensor && found.tensors.has(block.tensor.index)) found.blocks.add(block);
    if (!block.tensor && words === 'scratch') found.blocks.add(block);
  }
  for (const step of plan.steps) {
    if (step.op.toLowerCase().includes(words) || words === String(step.step))
      found.steps.add(step.step);
  }
  for (const block of found.blocks) found.steps.add(block.first);
  return found;
}
