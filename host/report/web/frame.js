'use strict';
// What the pictures have in common: colours, patterns, frames. All share one axis of steps,
// `view.from` to `view.to` in steps of the plan shown; a plan with another number of steps is
// stretched onto it.

const LEFT = 66;
const RIGHT = 12;
const TOP = 21;
const DIM = 0.5; // what is not alive at the selected step
const START = 46; // width of the phase before the first step, where it is shown

function css(name) {
  return getComputedStyle(document.documentElement)
    .getPropertyValue('--' + name)
    .trim();
}

// Colours of the theme, read once.
function readPalette() {
  const palette = {};
  const names = [
    'surface',
    'ink',
    'soft',
    'line',
    'grid',
    'accent',
    'accent-soft',
    'focus',
    'pattern',
    'label',
    'free',
    'hole',
    'padding',
    'static-0',
    'live-line',
    'live-fill',
    'bound',
    'high',
  ];
  for (const name of names) palette[name] = css(name);
  for (const kind of ['intermediate', 'input', 'output', 'scratch', 'variable']) {
    for (const tint of [0, 1, 2]) palette[kind + '-' + tint] = css(kind + '-' + tint);
  }
  for (let i = 1; i < 8; i++) palette['plan-' + i] = css('plan-' + i);
  return palette;
}

// ---- patterns ---------------------------------------------------------------------------------

function strokePattern(context, kind) {
  context.beginPath();
  if (kind === 'input' || kind === 'scratch' || kind === 'padding') {
    for (const x of [-8, 0, 8]) (context.moveTo(x, 8), context.lineTo(x + 8, 0));
  }
  if (kind === 'scratch' || kind === 'shared') {
    for (const x of [-8, 0, 8]) (context.moveTo(x, 0), context.lineTo(x + 8, 8));
  }
  context.stroke();
  if (kind === 'output') {
    for (const [x, y] of [
      [2, 2],
      [6, 6],
    ])
      context.fillRect(x - 0.9, y - 0.9, 1.8, 1.8);
  }
  if (kind === 'variable') context.fillRect(0, 3, 8, 1.6);
}

function makePattern(context, kind, back, front) {
  const tile = document.createElement('canvas');
  const scale = window.devicePixelRatio || 1;
  tile.width = tile.height = 8 * scale;
  const inner = tile.getContext('2d');
  inner.scale(scale, scale);
  if (back) ((inner.fillStyle = back), inner.fillRect(0, 0, 8, 8));
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

// ---- frames and axes --------------------------------------------------------------------------

// Prepares a canvas for its size on the page. Returns {context, left, top, width, height, bottom}
// of the plot.
function openFrame(ui, canvas, bottom) {
  const scale = window.devicePixelRatio || 1;
  const box = canvas.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width * scale));
  const height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width || canvas.height !== height)
    ((canvas.width = width), (canvas.height = height));
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  context.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  const left = LEFT + (ui.hasStart ? START : 0);
  return {
    context,
    left,
    top: TOP,
    width: Math.max(10, box.width - left - RIGHT),
    height: Math.max(10, box.height - TOP - bottom),
    bottom,
  };
}

function stretchOf(ui, plan) {
  return ui.plan.stepCount / plan.stepCount;
}

function xOf(ui, frame, plan, step) {
  const at = step * stretchOf(ui, plan);
  return frame.left + ((at - ui.view.from) / (ui.view.to - ui.view.from)) * frame.width;
}

function yOf(frame, range, address) {
  return (
    frame.top + frame.height - ((address - range.low) / (range.high - range.low)) * frame.height
  );
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
  c.rect(
    whole ? LEFT : frame.left,
    frame.top - 1,
    frame.width + (whole ? frame.left - LEFT : 0),
    frame.height + 2,
  );
  c.clip();
}
