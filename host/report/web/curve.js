'use strict';
// The memory curve of the plans, and the overview of the one that is shown.

function planColour(ui, plan) {
  return plan === ui.plan ? ui.palette['live-line'] : ui.palette['plan-' + (1 + (plan.index % 7))];
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
      colour: planColour(ui, plan),
      width: 2,
      dash: dashes[plan.index % 4],
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
    colour: ui.palette.high,
    width: 1.2,
    dash: [2, 2],
    value: (step) => plan.base + step.high_water,
  });
  drawStairs(ui, frame, range, plan, {
    colour: ui.palette['live-line'],
    width: 2,
    value: (step) => plan.base + step.live_bytes,
  });
  drawSelection(ui, frame, plan);
  frame.context.restore();
  drawCaption(ui, frame, 'Bytes alive');
  drawReading(ui, frame);
  const bound = plan.base + plan.json.lower_bound_bytes;
  const close = yOf(frame, range, bound) - yOf(frame, range, plan.arena) < 17;
  drawLevel(ui, frame, range, {
    bytes: bound,
    colour: ui.palette.bound,
    dash: [6, 4],
    side: plan.json.peak_step < plan.steps.length / 2 ? 'right' : 'left',  // away from the peak
    below: close,
    text:
      'lower bound ' +
      plan.base.toLocaleString('en-US') +
      ' + ' +
      bytesText(plan.json.lower_bound_bytes),
  });
  drawLevel(ui, frame, range, {
    bytes: plan.arena,
    colour: ui.palette.accent,
    side: 'right',
    text: 'arena ' + bytesText(plan.arena),
  });
  return frame;
}

// ---- overview ---------------------------------------------------------------------------------

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
    const height = (step.live_bytes / most) * frame.height;
    c.fillRect(
      frame.left + step.step * each,
      frame.top + frame.height - height,
      Math.max(each, 0.6),
      height,
    );
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
