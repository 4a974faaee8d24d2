'use strict';
// The pictures: memory curve, arena map, overview. All share one axis of steps, `view.from` to
// `view.to` in steps of the plan shown; a plan with another number of steps is stretched onto it.

const LEFT = 66;
const RIGHT = 12;
const TOP = 21;
const DIM = 0.5;   // what is not alive at the selected step
const START = 46;  // width of the phase before the first step, where it is shown

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

// Colours of the theme, read once.
function readPalette() {
  const palette = {};
  const names = ['surface', 'ink', 'soft', 'line', 'grid', 'accent', 'accent-soft', 'focus', 'pattern',
    'label', 'free', 'hole', 'padding', 'static-0', 'live-line', 'live-fill', 'bound', 'high'];
  for (const name of names) palette[name] = css(name);
  for (const kind of ['intermediate', 'input', 'output', 'scratch', 'variable']) {
    for (const tint of [0, 1, 2]) palette[kind + '-' + tint] = css(kind + '-' + tint);
  }
  for (let i = 1; i < 8; i++) palette['plan-' + i] = css('plan-' + i);
  return palette;
}

// ---- patterns -------------------------------------------------------------------------------------

function strokePattern(context, kind) {
  context.beginPath();
  if (kind === 'input' || kind === 'scratch' || kind === 'padding') {
    for (const x of [-8, 0, 8]) context.moveTo(x, 8), context.lineTo(x + 8, 0);
  }
  if (kind === 'scratch' || kind === 'shared') {
    for (const x of [-8, 0, 8]) context.moveTo(x, 0), context.lineTo(x + 8, 8);
  }
  context.stroke();
  if (kind === 'output') {
    for (const [x, y] of [[2, 2], [6, 6]]) context.fillRect(x - 0.9, y - 0.9, 1.8, 1.8);
  }
  if (kind === 'variable') context.fillRect(0, 3, 8, 1.6);
}

function makePattern(context, kind, back, front) {
  const tile = document.createElement('canvas');
  const scale = window.devicePixelRatio || 1;
  tile.width = tile.height = 8 * scale;
  const inner = tile.getContext('2d');
  inner.scale(scale, scale);
  if (back) inner.fillStyle = back, inner.fillRect(0, 0, 8, 8);
  inner.strokeStyle = inner.fillStyle = front;
  inner.lineWidth = 1.5;
  strokePattern(inner, kind);
  const pattern = context.createPattern(tile, 'repeat');
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}

function patternOf(ui, context, kind, tint) {
  const key = kind + tint;
  if (!ui.patterns.has(key)) {
    const p = ui.palette;
    const plain = {shared: ['', p.label], padding: [p.hole, p.padding]};
    const [back, front] = plain[kind] || [p[kind + '-' + tint], p.pattern];
    ui.patterns.set(key, makePattern(context, kind, back, front));
  }
  return ui.patterns.get(key);
}

// ---- frames and axes ------------------------------------------------------------------------------

// Prepares a canvas for its size on the page. Returns {context, left, top, width, height} of the plot.
function openFrame(ui, canvas, bottom) {
  const scale = window.devicePixelRatio || 1;
  const box = canvas.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width * scale));
  const height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width || canvas.height !== height) canvas.width = width, canvas.height = height;
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  context.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  const left = LEFT + (ui.hasStart ? START : 0);
  return {
    context, left, top: TOP, width: Math.max(10, box.width - left - RIGHT),
    height: Math.max(10, box.height - TOP - bottom), bottom,
  };
}

function stretchOf(ui, plan) {
  return ui.plan.stepCount / plan.stepCount;
}

function xOf(ui, frame, plan, step) {
  const at = step * stretchOf(ui, plan);
  return frame.left + (at - ui.view.from) / (ui.view.to - ui.view.from) * frame.width;
}

function yOf(frame, range, address) {
  return frame.top + frame.height - (address - range.low) / (range.high - range.low) * frame.height;
}

function niceStep(span, most) {
  let step = 1;
  while (span / step > most) step *= 2;
  return step;
}

function addressText(address, step) {
  if (address === 0) return '0';
  if (step >= 1048576) return address / 1048576 + ' MiB';
  if (step >= 1024) return address / 1024 + ' KiB';
  return address.toLocaleString('en-US') + ' B';
}

function drawAddressAxis(ui, frame, range) {
  const c = frame.context;
  const step = niceStep(range.high - range.low, Math.max(2, frame.height / 34));
  c.lineWidth = 1;
  c.textAlign = 'right';
  const end = LEFT + (ui.hasStart ? START : 0) + frame.width;
  for (let at = Math.ceil(range.low / step) * step; at <= range.high; at += step) {
    const y = Math.round(yOf(frame, range, at)) + 0.5;
    c.strokeStyle = ui.palette.grid;
    c.beginPath();
    c.moveTo(LEFT, y);
    c.lineTo(end, y);
    c.stroke();
    c.fillStyle = ui.palette.soft;
    c.fillText(addressText(at, step), LEFT - 7, y);
  }
}

function drawCaption(ui, frame, text) {
  frame.context.fillStyle = ui.palette.soft;
  frame.context.textAlign = 'left';
  frame.context.fillText(fitText(frame.context, text, frame.width / 3), LEFT, 9);
}

function clipTo(frame, whole) {
  const c = frame.context;
  c.save();
  c.beginPath();
  c.rect(whole ? LEFT : frame.left, frame.top - 1, frame.width + (whole ? frame.left - LEFT : 0),
    frame.height + 2);
  c.clip();
}

// ---- arena map ------------------------------------------------------------------------------------

function blockBox(ui, frame, range, plan, block) {
  const x = xOf(ui, frame, plan, block.first);
  const y = yOf(frame, range, block.high);
  return {
    x, y, w: Math.max(1, xOf(ui, frame, plan, block.last + 1) - x),
    h: Math.max(1, yOf(frame, range, block.low) - y),
  };
}

function isOutside(frame, box) {
  return box.x > frame.left + frame.width || box.x + box.w < frame.left ||
    box.y > frame.top + frame.height || box.y + box.h < frame.top;
}

function fitText(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + '\u2026').width <= width) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? '' : text.slice(0, low) + '\u2026';
}

// Text with a rim of `back`, to be read over patterns.
function drawHalo(c, text, x, y, back) {
  c.strokeStyle = back;
  c.lineWidth = 3;
  c.lineJoin = 'round';
  if (c.globalAlpha === 1) c.strokeText(text, x, y);
  c.fillText(text, x, y);
}

function drawLabel(ui, frame, block, box) {
  const c = frame.context;
  const x = Math.max(box.x, frame.left);
  const width = Math.min(box.x + box.w, frame.left + frame.width) - x - 7;
  if (width < 12) return;
  c.fillStyle = ui.palette.label;
  c.textAlign = 'left';
  const two = box.h >= 30 && width >= 62;
  const middle = box.y + box.h / 2;
  const tensor = block.tensor;
  const rows = block.whole ? '' : ' rows ' + block.firstRow + '+' + block.rows;
  const short = tensor && width < 62 ? '#' + tensor.index : block.label + rows;
  const back = ui.palette[block.kind + '-' + block.tint];
  drawHalo(c, fitText(c, short, width), x + 4, middle - (two ? 7 : 0), back);
  if (!two) return;
  const shape = tensor ? shapeText(tensor) + ' \u00b7 ' : '';
  drawHalo(c, fitText(c, shape + bytesText(block.bytes), width), x + 4, middle + 8, back);
}

function fillBlock(ui, frame, block, box) {
  const c = frame.context;
  const small = box.w < 5 || box.h < 5;
  const gap = box.w > 4 ? 1 : 0;
  const plain = ui.palette[block.kind + '-' + block.tint];
  c.fillStyle = small || block.kind === 'intermediate' ? plain
    : patternOf(ui, c, block.kind, block.tint);
  if (box.w > 14 && box.h > 10 && c.roundRect) {
    c.beginPath();
    c.roundRect(box.x + 0.5, box.y + 0.5, box.w - gap, box.h - 1, 3);
    c.fill();
  } else {
    c.fillRect(box.x, box.y, box.w - gap, Math.max(1, box.h - (box.h > 4 ? 0.75 : 0)));
  }
}

// Where a step is too narrow to be seen, all but it would be dim: then only a search and a chosen tensor
// dim the rest.
function isDim(ui, plan, block) {
  if (ui.found) return plan !== ui.plan || !ui.found.blocks.has(block);
  if (block === ui.block || block === ui.hover) return false;
  if (ui.narrow) return ui.block !== null && (!block.tensor || block.tensor !== ui.block.tensor);
  const step = Math.floor(ui.step / stretchOf(ui, plan));
  return ui.focus && (block.first > step || block.last < step);
}

function drawBlocks(ui, frame, range, plan) {
  const c = frame.context;
  for (const block of plan.blocks) {
    const box = blockBox(ui, frame, range, plan, block);
    if (isOutside(frame, box)) continue;
    c.globalAlpha = isDim(ui, plan, block) ? DIM : 1;
    fillBlock(ui, frame, block, box);
  }
  c.globalAlpha = 1;
}

function drawLabels(ui, frame, range, plan) {
  const c = frame.context;
  for (const block of plan.blocks) {
    const box = blockBox(ui, frame, range, plan, block);
    if (isOutside(frame, box) || box.h < 13) continue;
    if (block.nameTo > block.nameFrom) {
      box.x = xOf(ui, frame, plan, block.nameFrom);
      box.w = xOf(ui, frame, plan, block.nameTo) - box.x;
    }
    if (box.w < 20) continue;
    c.globalAlpha = isDim(ui, plan, block) ? 0.6 : 1;
    drawLabel(ui, frame, block, box);
  }
  c.globalAlpha = 1;
}

function drawGaps(ui, frame, range, plan) {
  const c = frame.context;
  for (const gap of plan.gaps) {
    const box = blockBox(ui, frame, range, plan, gap);
    if (isOutside(frame, box)) continue;
    const fine = box.h < 5 || box.w < 5;
    c.fillStyle = gap.kind === 'hole' ? ui.palette.hole
      : fine ? ui.palette.padding : patternOf(ui, c, 'padding', 0);
    c.fillRect(box.x, box.y, box.w, box.h);
  }
}

// Half of a box, with the corner (x, y).
function fillTriangle(ui, c, block, box, x, y) {
  c.fillStyle = ui.palette[block.kind + '-' + block.tint];
  c.beginPath();
  c.moveTo(box.x, box.y + box.h);
  c.lineTo(x, y);
  c.lineTo(box.x + box.w - 1, box.y);
  c.closePath();
  c.fill();
}

// Where one block is written over another while that is read: the older one above the diagonal, the
// newer one below, as the rows go.
function drawShared(ui, frame, range, plan) {
  const c = frame.context;
  for (const pair of plan.shared) {
    const box = blockBox(ui, frame, range, plan, pair);
    if (isOutside(frame, box) || box.w < 3 || box.h < 3) continue;
    c.globalAlpha = isDim(ui, plan, pair.newer) && isDim(ui, plan, pair.older) ? DIM : 1;
    fillTriangle(ui, c, pair.newer, box, box.x + box.w - 1, box.y + box.h);
    fillTriangle(ui, c, pair.older, box, box.x, box.y);
    c.fillStyle = patternOf(ui, c, 'shared', 0);
    c.globalAlpha *= 0.2;
    c.fillRect(box.x, box.y, box.w - 1, box.h);
    c.globalAlpha *= 3;
    c.strokeStyle = ui.palette.label;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(box.x, box.y + box.h);
    c.lineTo(box.x + box.w - 1, box.y);
    c.stroke();
  }
  c.globalAlpha = 1;
}

function drawStatic(ui, frame, range, plan) {
  const c = frame.context;
  const top = yOf(frame, range, plan.json.static_bytes);
  const bottom = Math.min(yOf(frame, range, 0), frame.top + frame.height);
  const right = frame.left + frame.width;
  c.fillStyle = ui.palette['static-0'];
  c.fillRect(LEFT, top, right - LEFT, Math.max(1, bottom - top));
  for (const block of plan.fixed) {
    const box = blockBox(ui, frame, range, plan, block);
    box.x = LEFT;
    box.w = right - LEFT;
    c.globalAlpha = ui.focus && ui.found && !ui.found.tensors.has(block.tensor.index) ? DIM : 1;
    fillBlock(ui, frame, block, box);
    c.globalAlpha = 1;
  }
  if (bottom - top >= 13) {
    c.fillStyle = ui.palette.label;
    c.textAlign = 'left';
    const text = 'static region \u00b7 ' + bytesText(plan.json.static_bytes);
    const middle = (Math.max(top, frame.top) + bottom) / 2;
    drawHalo(c, fitText(c, text, frame.width - 12), frame.left + 5, middle, ui.palette['static-0']);
  }
}

// Records of planning, where the start needs more than any step.
function drawStart(ui, frame, range, plan) {
  const c = frame.context;
  const bytes = plan.json.breakdown.init_temporary;
  if (!ui.hasStart) return;
  if (bytes > 0) {
    const top = yOf(frame, range, plan.arena);
    const height = yOf(frame, range, plan.arena - bytes) - top;
    c.fillStyle = patternOf(ui, c, 'padding', 0);
    c.fillRect(LEFT + 2, top, START - 8, height);
  }
  c.fillStyle = ui.palette.soft;
  c.textAlign = 'center';
  c.fillText('start', LEFT + START / 2 - 2, frame.top + frame.height + 10);
}

function drawArenaLine(ui, frame, range, plan) {
  const c = frame.context;
  const y = Math.round(yOf(frame, range, plan.arena)) + 0.5;
  c.strokeStyle = c.fillStyle = ui.palette.accent;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(LEFT, y);
  c.lineTo(frame.left + frame.width, y);
  c.stroke();
  c.textAlign = 'right';
  const name = ui.plans.length > 1 ? plan.label + ': arena ' : 'arena ';
  const text = fitText(c, name + bytesText(plan.arena), frame.width);
  c.fillText(text, frame.left + frame.width - 3, y - 8 < 8 ? y + 9 : y - 8);
}

function drawSelection(ui, frame, plan) {
  const c = frame.context;
  const step = Math.floor(ui.step / stretchOf(ui, plan));
  const x = xOf(ui, frame, plan, step);
  const width = Math.max(1.5, xOf(ui, frame, plan, step + 1) - x);
  if (x > frame.left + frame.width || x + width < frame.left) return;
  c.strokeStyle = ui.palette.accent;
  c.lineWidth = 1.5;
  if (width < 4) {
    c.fillStyle = ui.palette.accent;
    c.fillRect(x, frame.top, width, frame.height);
  } else {
    c.strokeRect(x + 0.5, frame.top + 0.75, width - 1, frame.height - 1.5);
  }
}

function drawOutline(ui, frame, range, plan, block) {
  if (!block || !(plan.blocks.includes(block) || plan.fixed.includes(block))) return;
  const box = blockBox(ui, frame, range, plan, block);
  const c = frame.context;
  c.strokeStyle = ui.palette.ink;
  c.lineWidth = 2;
  c.strokeRect(box.x, box.y, Math.max(2, box.w - 1), Math.max(2, box.h - 0.5));
}

// Of two maps with the same steps, the lower one has the names.
function stripHeight(ui, width, plan) {
  const each = (width - LEFT - RIGHT) / (ui.view.to - ui.view.from) * stretchOf(ui, plan);
  if (ui.other && plan === ui.plan && ui.other.stepCount === plan.stepCount) return 20;
  return each >= 74 ? 34 : each >= 13 ? 146 : 20;
}

// Below the map: the operator of each step where there is room, and numbers of steps.
function drawSteps(ui, frame, plan) {
  const c = frame.context;
  const stretch = stretchOf(ui, plan);
  const each = frame.width / (ui.view.to - ui.view.from) * stretch;
  const y = frame.top + frame.height + 10;
  const every = niceStep(plan.stepCount, frame.width / Math.max(each, 44) * plan.stepCount /
    Math.max(1, (ui.view.to - ui.view.from) / stretch));
  const from = Math.max(0, Math.floor(ui.view.from / stretch));
  const to = Math.min(plan.steps.length, Math.ceil(ui.view.to / stretch));
  for (let step = from; step < to; step++) {
    const x = xOf(ui, frame, plan, step + 0.5);
    if (x < frame.left || x > frame.left + frame.width) continue;
    c.fillStyle = step === ui.step && plan === ui.plan ? ui.palette.accent : ui.palette.soft;
    c.textAlign = 'center';
    if (each >= 22 || step % every === 0) c.fillText(step, x, y);
    const op = plan.steps[step].op;
    if (frame.bottom === 34) c.fillText(fitText(c, op, each - 6), x, y + 14);
    if (frame.bottom > 34 && each >= 13) drawTurned(c, fitText(c, op, 124), x, y + 9);
  }
}

function drawTurned(context, text, x, y) {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'right';
  context.fillText(text, 0, 0);
  context.restore();
}

function drawMap(ui, canvas, plan) {
  const box = canvas.getBoundingClientRect();
  const frame = openFrame(ui, canvas, stripHeight(ui, box.width, plan));
  ui.narrow = frame.width / (ui.view.to - ui.view.from) * stretchOf(ui, plan) < 3;
  const range = ui.range;
  const c = frame.context;
  c.fillStyle = ui.palette.free;
  c.fillRect(LEFT, frame.top, frame.left - LEFT + frame.width, frame.height);
  drawAddressAxis(ui, frame, range);
  clipTo(frame, true);
  drawStatic(ui, frame, range, plan);
  drawStart(ui, frame, range, plan);
  c.restore();
  clipTo(frame, false);
  drawGaps(ui, frame, range, plan);
  drawBlocks(ui, frame, range, plan);
  drawShared(ui, frame, range, plan);
  drawLabels(ui, frame, range, plan);
  drawSelection(ui, frame, plan);
  drawOutline(ui, frame, range, plan, ui.block);
  drawOutline(ui, frame, range, plan, ui.hover);
  c.restore();
  drawCaption(ui, frame, ui.other ? 'Arena of ' + plan.label : 'Arena: addresses and steps');
  drawArenaLine(ui, frame, range, plan);
  drawSteps(ui, frame, plan);
  return frame;
}

// ---- memory curve ---------------------------------------------------------------------------------

function planColour(ui, plan) {
  return plan === ui.plan ? ui.palette['live-line'] : ui.palette['plan-' + (1 + plan.index % 7)];
}

// Adds the steps of `value` to the path, as stairs.
function traceStairs(ui, frame, range, plan, value) {
  const c = frame.context;
  const stretch = stretchOf(ui, plan);
  const from = Math.max(0, Math.floor(ui.view.from / stretch) - 1);
  const to = Math.min(plan.steps.length, Math.ceil(ui.view.to / stretch) + 1);
  for (let step = from; step < to; step++) {
    const y = yOf(frame, range, value(plan.steps[step]));
    c.lineTo(xOf(ui, frame, plan, step), y);
    c.lineTo(xOf(ui, frame, plan, step + 1), y);
  }
  return {first: xOf(ui, frame, plan, from), last: xOf(ui, frame, plan, to)};
}

function drawLiveArea(ui, frame, range, plan) {
  const c = frame.context;
  const floor = yOf(frame, range, plan.base);
  c.fillStyle = ui.palette['live-fill'];
  c.beginPath();
  const ends = traceStairs(ui, frame, range, plan, (step) => plan.base + step.live_bytes);
  c.lineTo(ends.last, floor);
  c.lineTo(ends.first, floor);
  c.closePath();
  c.fill();
  c.fillStyle = ui.palette['static-0'];
  c.fillRect(LEFT, floor, frame.left + frame.width - LEFT, yOf(frame, range, 0) - floor);
}

function drawStairs(ui, frame, range, plan, style) {
  const c = frame.context;
  c.strokeStyle = style.colour;
  c.lineWidth = style.width;
  c.setLineDash(style.dash || []);
  c.beginPath();
  traceStairs(ui, frame, range, plan, style.value);
  c.stroke();
  c.setLineDash([]);
}

function drawLevel(ui, frame, range, level) {
  const c = frame.context;
  const y = Math.round(yOf(frame, range, level.bytes)) + 0.5;
  c.strokeStyle = c.fillStyle = level.colour;
  c.lineWidth = 1.5;
  c.setLineDash(level.dash || []);
  c.beginPath();
  c.moveTo(LEFT, y);
  c.lineTo(frame.left + frame.width, y);
  c.stroke();
  c.setLineDash([]);
  c.textAlign = level.side;
  const x = level.side === 'left' ? frame.left + 4 : frame.left + frame.width - 4;
  const width = c.measureText(level.text).width;
  const at = y + (level.below ? 9 : -8);
  c.fillStyle = ui.palette.surface;
  c.globalAlpha = 0.75;
  c.fillRect(level.side === 'left' ? x - 2 : x - width - 2, at - 7, width + 4, 14);
  c.globalAlpha = 1;
  c.fillStyle = level.colour;
  c.fillText(level.text, x, at);
}

function drawStartBar(ui, frame, range, plan) {
  if (!ui.hasStart || plan.json.breakdown.init_temporary === 0) return;
  const c = frame.context;
  c.fillStyle = patternOf(ui, c, 'padding', 0);
  const top = yOf(frame, range, plan.arena);
  c.fillRect(LEFT + 2, top, START - 8, yOf(frame, range, plan.json.static_bytes) - top);
}

function drawOthers(ui, frame, range) {
  const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3]];
  for (const plan of ui.plans) {
    if (plan === ui.plan) continue;
    drawStairs(ui, frame, range, plan, {
      colour: planColour(ui, plan), width: 2, dash: dashes[plan.index % 4],
      value: (step) => plan.base + step.live_bytes,
    });
  }
}

// Above the selected step: what is alive there.
function drawReading(ui, frame) {
  const c = frame.context;
  const step = ui.plan.steps[ui.step];
  const x = xOf(ui, frame, ui.plan, ui.step + 0.5);
  if (!step || x < frame.left || x > frame.left + frame.width) return;
  const text = 'step ' + ui.step + ': ' + bytesText(step.live_bytes) + ' alive';
  const half = c.measureText(text).width / 2;
  const least = frame.left + half + 120;
  c.textAlign = 'center';
  c.fillStyle = ui.palette.accent;
  c.fillText(text, Math.min(Math.max(x, least), frame.left + frame.width - half), 9);
}

function drawCurve(ui, canvas) {
  const frame = openFrame(ui, canvas, 6);
  const plan = ui.plan;
  const range = {low: 0, high: Math.max(...ui.plans.map((other) => other.arena)) * 1.14};
  drawAddressAxis(ui, frame, range);
  clipTo(frame, true);
  drawStartBar(ui, frame, range, plan);
  frame.context.restore();
  clipTo(frame, false);
  drawLiveArea(ui, frame, range, plan);
  drawOthers(ui, frame, range);
  drawStairs(ui, frame, range, plan, {
    colour: ui.palette.high, width: 1.2, dash: [2, 2], value: (step) => plan.base + step.high_water,
  });
  drawStairs(ui, frame, range, plan, {
    colour: ui.palette['live-line'], width: 2, value: (step) => plan.base + step.live_bytes,
  });
  drawSelection(ui, frame, plan);
  frame.context.restore();
  drawCaption(ui, frame, 'Bytes alive');
  drawReading(ui, frame);
  const bound = plan.base + plan.json.lower_bound_bytes;
  const close = yOf(frame, range, bound) - yOf(frame, range, plan.arena) < 17;
  drawLevel(ui, frame, range, {
    bytes: bound, colour: ui.palette.bound, dash: [6, 4], side: 'left', below: close,
    text: 'lower bound ' + plan.base.toLocaleString('en-US') + ' + ' +
      bytesText(plan.json.lower_bound_bytes),
  });
  drawLevel(ui, frame, range, {
    bytes: plan.arena, colour: ui.palette.accent, side: 'right', text: 'arena ' + bytesText(plan.arena),
  });
  return frame;
}

// ---- overview -------------------------------------------------------------------------------------

function drawOverview(ui, canvas) {
  const frame = openFrame(ui, canvas, 2);
  const c = frame.context;
  frame.top = 4;
  frame.height = 22;
  const plan = ui.plan;
  const most = Math.max(1, plan.json.dynamic_peak_bytes);
  const each = frame.width / plan.stepCount;
  c.fillStyle = ui.palette.free;
  c.fillRect(frame.left, frame.top, frame.width, frame.height);
  c.fillStyle = ui.palette['live-fill'];
  for (const step of plan.steps) {
    const height = step.live_bytes / most * frame.height;
    c.fillRect(frame.left + step.step * each, frame.top + frame.height - height, Math.max(each, 0.6),
      height);
  }
  c.fillStyle = ui.palette.accent;
  c.fillRect(frame.left + ui.step * each, frame.top, Math.max(1.5, each), frame.height);
  const x = frame.left + ui.view.from * each;
  const width = Math.max(3, (ui.view.to - ui.view.from) * each);
  c.strokeStyle = ui.palette.ink;
  c.lineWidth = 1.5;
  c.strokeRect(x + 0.75, frame.top + 0.75, width - 1.5, frame.height - 1.5);
  return frame;
}
