'use strict';
// The arena map: addresses go up, steps to the right, each block of memory a box.

function blockBox(ui, frame, range, plan, block) {
  const x = xOf(ui, frame, plan, block.first);
  const y = yOf(frame, range, block.high);
  return {
    x,
    y,
    w: Math.max(1, xOf(ui, frame, plan, block.last + 1) - x),
    h: Math.max(1, yOf(frame, range, block.low) - y),
  };
}

function isOutside(frame, box) {
  return (
    box.x > frame.left + frame.width ||
    box.x + box.w < frame.left ||
    box.y > frame.top + frame.height ||
    box.y + box.h < frame.top
  );
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
  const rows = block.whole ? '' : ' ' + rowsText(block);
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
  c.fillStyle =
    small || block.kind === 'intermediate' ? plain : patternOf(ui, c, block.kind, block.tint);
  if (box.w > 14 && box.h > 10 && c.roundRect) {
    c.beginPath();
    c.roundRect(box.x + 0.5, box.y + 0.5, box.w - gap, box.h - 1, 3);
    c.fill();
  } else {
    c.fillRect(box.x, box.y, box.w - gap, Math.max(1, box.h - (box.h > 4 ? 0.75 : 0)));
  }
}

// Where a step is too narrow to be seen, all but it would be dim: then only a search and a chosen
// tensor dim the rest.
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

// What lies below the high water and under no block is a hole.
function drawHoles(ui, frame, range, plan) {
  const c = frame.context;
  const floor = yOf(frame, range, plan.base);
  c.fillStyle = ui.palette.hole;
  c.beginPath();
  const ends = traceStairs(ui, frame, range, plan, (step) => plan.base + step.high_water);
  c.lineTo(ends.last, floor);
  c.lineTo(ends.first, floor);
  c.closePath();
  c.fill();
}

function drawPadding(ui, frame, range, plan) {
  const c = frame.context;
  for (const gap of plan.padding) {
    const box = blockBox(ui, frame, range, plan, gap);
    if (isOutside(frame, box)) continue;
    const fine = box.h < 5 || box.w < 5;
    c.fillStyle = fine ? ui.palette.padding : patternOf(ui, c, 'padding', 0);
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
  const each = ((width - LEFT - RIGHT) / (ui.view.to - ui.view.from)) * stretchOf(ui, plan);
  if (ui.other && plan === ui.plan && ui.other.stepCount === plan.stepCount) return 20;
  return each >= 74 ? 34 : each >= 13 ? 146 : 20;
}

// Below the map: the operator of each step where there is room, and numbers of steps.
function drawSteps(ui, frame, plan) {
  const c = frame.context;
  const stretch = stretchOf(ui, plan);
  const each = (frame.width / (ui.view.to - ui.view.from)) * stretch;
  const y = frame.top + frame.height + 10;
  const every = niceStep(
    plan.stepCount,
    ((frame.width / Math.max(each, 44)) * plan.stepCount) /
      Math.max(1, (ui.view.to - ui.view.from) / stretch),
  );
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
  ui.narrow = (frame.width / (ui.view.to - ui.view.from)) * stretchOf(ui, plan) < 7;
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
  drawHoles(ui, frame, range, plan);
  drawPadding(ui, frame, range, plan);
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
