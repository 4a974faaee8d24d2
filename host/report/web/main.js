'use strict';
// State, and what the user does to it. `ui.draw()` draws everything from the state, once a frame.

const ui = {
  plans: [],
  plan: null,
  other: null, // other: the plan of the second map
  step: 0,
  block: null,
  hover: null,
  focus: true,
  view: {from: 0, to: 1},
  range: {low: 0, high: 1},
  mode: 'map',
  query: '',
  found: null,
  sort: {column: 0, direction: 1},
  palette: {},
  patterns: new Map(),
  hasStart: false,
  narrow: false,
  frames: {},
  waiting: false,
};

const byId = (id) => document.getElementById(id);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// ---- drawing ----------------------------------------------------------------------------------

// The plots of two maps are equally high, whatever lies below them.
function shareHeight() {
  if (!ui.other) return;
  const width = byId('map').clientWidth;
  const more = stripHeight(ui, width, ui.other) - stripHeight(ui, width, ui.plan);
  byId('map2').style.flexBasis = Math.max(0, more) + 'px';
  byId('map').style.flexBasis = Math.max(0, -more) + 'px';
}

function drawNow() {
  ui.waiting = false;
  if (ui.mode !== 'map') return;
  shareHeight();
  ui.frames.curve = drawCurve(ui, byId('curve'));
  ui.frames.map = drawMap(ui, byId('map'), ui.plan);
  ui.frames.map2 = ui.other ? drawMap(ui, byId('map2'), ui.other) : null;
  ui.frames.overview = drawOverview(ui, byId('overview'));
}

ui.draw = () => {
  if (ui.waiting) return;
  ui.waiting = true;
  requestAnimationFrame(drawNow);
};

function describeCanvases() {
  const j = ui.plan.json;
  byId('curve').setAttribute(
    'aria-label',
    'Memory curve: ' +
      bytesText(j.arena_bytes) +
      ' arena, ' +
      'most live bytes at step ' +
      j.peak_step +
      '. The table of steps has the same numbers.',
  );
  byId('map').setAttribute(
    'aria-label',
    'Arena map: ' +
      ui.plan.blocks.length +
      ' blocks of memory ' +
      'over ' +
      ui.plan.steps.length +
      ' steps. The table of tensors has the same numbers.',
  );
}

// ---- selecting --------------------------------------------------------------------------------

ui.select = (step) => {
  ui.step = clamp(step, 0, ui.plan.stepCount - 1);
  ui.focus = true;
  const span = ui.view.to - ui.view.from;
  if (ui.step < ui.view.from) setView(ui.step - span * 0.1, ui.step + span * 0.9);
  if (ui.step + 1 > ui.view.to) setView(ui.step + 1 - span * 0.9, ui.step + 1 + span * 0.1);
  showPanel(ui);
  const s = ui.plan.steps[ui.step];
  byId('live').textContent = s
    ? 'Step ' + ui.step + ', ' + s.op + ', ' + s.live_bytes + ' bytes live'
    : '';
  if (ui.mode !== 'map') showTable(ui);
  ui.draw();
};

ui.choose = (block) => {
  ui.block = ui.block === block ? null : block;
  showPanel(ui);
  ui.draw();
};

ui.pointAt = (block) => {
  ui.hover = block;
  ui.draw();
};

ui.chooseRow = (row) => {
  if (ui.mode === 'steps') {
    ui.select(row.step);
    return;
  }
  const index = row.owner >= 0 ? row.owner : row.index;
  ui.block = ui.plan.blocks.find((block) => block.tensor && block.tensor.index === index) || null;
  ui.select(ui.block ? ui.block.first : ui.step);
};

ui.sortBy = (column) => {
  const again = ui.sort.column === column;
  ui.sort = {column, direction: again ? -ui.sort.direction : 1};
  showTable(ui);
};

ui.showPlan = (index) => {
  if (!ui.plans[index]) return;
  ui.plan = ui.plans[index];
  if (ui.other === ui.plan) ui.other = null;
  ui.block = ui.hover = null;
  ui.hasStart = ui.plans.some((plan) => plan.json.breakdown.init_temporary > 0);
  ui.fit();
  search(ui.query);
  showHeader();
  showTiles(ui);
  showLegend(ui);
  describeCanvases();
  ui.select(ui.plan.json.peak_step);
};

// A second map below the first, of the next plan; none after the last.
ui.compare = () => {
  const rest = ui.plans.filter((plan) => plan !== ui.plan);
  const at = rest.indexOf(ui.other);
  ui.other = rest[at + 1] || null;
  showHeader();
  ui.fit();
};

ui.show = (mode) => {
  ui.mode = mode;
  ui.sort = {column: 0, direction: 1};
  byId('pictures').hidden = mode !== 'map';
  byId('table').hidden = mode === 'map';
  for (const name of ['map', 'tensors', 'steps']) {
    byId('show-' + name).setAttribute('aria-pressed', String(name === mode));
  }
  if (mode !== 'map') showTable(ui);
  ui.draw();
};

// ---- zooming ----------------------------------------------------------------------------------

function setView(from, to) {
  const count = ui.plan.stepCount;
  const span = clamp(to - from, Math.min(3, count), count);
  const start = clamp(from, 0, count - span);
  ui.view = {from: start, to: start + span};
}

// The addresses that the maps shown need, and a little more.
function mostAddresses() {
  return Math.max(ui.plan.arena, ui.other ? ui.other.arena : 0, 1) * 1.03;
}

ui.fit = () => {
  setView(0, ui.plan.stepCount);
  ui.range = {low: 0, high: mostAddresses()};
  ui.draw();
};

// Zooms in time; `at` in 0..1 of the picture's width stays where it is.
ui.zoom = (factor, at) => {
  const span = ui.view.to - ui.view.from;
  const anchor = ui.view.from + span * at;
  setView(anchor - span * factor * at, anchor + span * factor * (1 - at));
  ui.draw();
};

ui.zoomAddresses = (factor, at) => {
  const most = mostAddresses();
  const span = clamp((ui.range.high - ui.range.low) * factor, Math.min(64, most), most);
  const anchor = ui.range.low + (ui.range.high - ui.range.low) * at;
  const low = clamp(anchor - span * at, 0, most - span);
  ui.range = {low, high: low + span};
  ui.draw();
};

function zoomAtSelection(factor) {
  const at = (ui.step + 0.5 - ui.view.from) / (ui.view.to - ui.view.from);
  ui.zoom(factor, clamp(at, 0, 1));
}

function pan(steps, bytes) {
  setView(ui.view.from + steps, ui.view.to + steps);
  const most = mostAddresses();
  const span = ui.range.high - ui.range.low;
  const low = clamp(ui.range.low + bytes, 0, most - span);
  ui.range = {low, high: low + span};
  ui.draw();
}

// ---- saving -----------------------------------------------------------------------------------

// The pictures as one PNG, as sharp as they are on this screen.
function savePicture() {
  const canvases = ['curve', 'map', 'map2'].map(byId).filter((canvas) => !canvas.hidden);
  const scale = window.devicePixelRatio || 1;
  const sheet = document.createElement('canvas');
  const head = 44 * scale;
  sheet.width = canvases[0].width + 16 * scale;
  sheet.height = canvases.reduce((sum, canvas) => sum + canvas.height + 4 * scale, head);
  const c = sheet.getContext('2d');
  c.fillStyle = ui.palette.surface;
  c.fillRect(0, 0, sheet.width, sheet.height);
  c.fillStyle = ui.palette.ink;
  c.font = '600 ' + 17 * scale + 'px system-ui, "Liberation Sans", sans-serif';
  const label = ui.plans.length > 1 ? ui.plan.label : 'planner ' + ui.plan.json.planner;
  const title = byId('title').textContent + ', ' + label + ': ' + bytesText(ui.plan.arena);
  c.fillText(title, 14 * scale, 28 * scale);
  let top = head;
  for (const canvas of canvases) {
    c.drawImage(canvas, 0, top);
    top += canvas.height + 4 * scale;
  }
  const name = byId('title').textContent.replace(/\.[a-z]+$/, '') + '.png';
  sheet.toBlob((blob) => {
    const link = element('a', {href: URL.createObjectURL(blob), download: name});
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

// ---- pointer ----------------------------------------------------------------------------------

// Where a pointer is: the step, the address, and the blocks there, last drawn first.
function placeOf(event, canvas, plan, frame) {
  const box = canvas.getBoundingClientRect();
  const x = (event.clientX - box.left - frame.left) / frame.width;
  const y = 1 - (event.clientY - box.top - frame.top) / frame.height;
  const at = (ui.view.from + x * (ui.view.to - ui.view.from)) / stretchOf(ui, plan);
  const step = Math.floor(at);
  const address = ui.range.low + y * (ui.range.high - ui.range.low);
  const inside = x >= 0 && x <= 1 && step >= 0 && step < plan.steps.length;
  return {x, y, step, address, inside};
}

function blocksAt(plan, place) {
  const holds = (block) => place.address >= block.low && place.address < block.high;
  const list = plan.live[place.step] ? plan.live[place.step].filter(holds) : [];
  return list.sort((a, b) => b.id - a.id).concat(plan.fixed.filter(holds));
}

function onMove(event, canvas, plan) {
  const frame = ui.frames[canvas.id];
  if (!frame || !plan) return;
  const place = placeOf(event, canvas, plan, frame);
  if (!place.inside) {
    leave();
    return;
  }
  const isMap = canvas.id !== 'curve';
  const blocks = isMap && place.y >= 0 ? blocksAt(plan, place) : [];
  const nodes = blocks.map((block) => blockTip(plan, block, place.step));
  showTip(nodes.length > 0 ? nodes : [stepTip(plan, place.step)], event.clientX, event.clientY);
  ui.pointAt(blocks[0] || null);
}

function leave() {
  showTip([], 0, 0);
  if (ui.hover) ui.pointAt(null);
}

function onClick(event, canvas, plan) {
  const place = placeOf(event, canvas, plan, ui.frames[canvas.id]);
  if (!place.inside) return;
  const blocks = canvas.id === 'map' && place.y >= 0 ? blocksAt(plan, place) : [];
  ui.block = blocks[0] || null;
  ui.select(Math.floor(place.step * stretchOf(ui, plan)));
}

function onWheel(event, canvas) {
  event.preventDefault();
  const frame = ui.frames[canvas.id];
  const place = placeOf(event, canvas, ui.plan, frame);
  const delta = Math.abs(event.deltaY) > Math.abs(event.deltaX) ? event.deltaY : 0;
  if (event.shiftKey) {
    ui.zoomAddresses(Math.exp((event.deltaY || event.deltaX) * 0.0015), clamp(place.y, 0, 1));
  } else if (delta === 0) {
    pan((event.deltaX / frame.width) * (ui.view.to - ui.view.from), 0);
  } else {
    ui.zoom(Math.exp(delta * 0.0015), clamp(place.x, 0, 1));
  }
}

function watchPicture(canvas, planOf) {
  let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    drag = {x: event.clientX, y: event.clientY, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (drag === null) {
      onMove(event, canvas, planOf());
      return;
    }
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    const frame = ui.frames[canvas.id];
    drag = {x: event.clientX, y: event.clientY, moved: true};
    pan(
      (-dx / frame.width) * (ui.view.to - ui.view.from),
      canvas.id === 'curve' ? 0 : (dy / frame.height) * (ui.range.high - ui.range.low),
    );
  });
  canvas.addEventListener('pointerup', (event) => {
    if (drag && !drag.moved) onClick(event, canvas, planOf());
    drag = null;
  });
  canvas.addEventListener('pointerleave', leave);
  canvas.addEventListener('dblclick', ui.fit);
  canvas.addEventListener('wheel', (event) => onWheel(event, canvas), {passive: false});
}

function watchOverview(canvas) {
  const move = (event) => {
    const frame = ui.frames.overview;
    const x = (event.clientX - canvas.getBoundingClientRect().left - frame.left) / frame.width;
    const span = ui.view.to - ui.view.from;
    setView(x * ui.plan.stepCount - span / 2, x * ui.plan.stepCount + span / 2);
    ui.draw();
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    move(event);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons) move(event);
  });
}

// ---- search -----------------------------------------------------------------------------------

function search(query) {
  ui.query = query;
  ui.found = matches(ui.plan, query);
  const count = ui.found ? ui.found.tensors.size + ui.found.steps.size : 0;
  byId('found').textContent = !ui.found
    ? ''
    : count === 0
      ? 'none'
      : ui.found.steps.size + ' steps';
  if (ui.mode !== 'map') showTable(ui);
  ui.draw();
}

// To the next step that the search found, from the selected one on.
function nextFound(direction) {
  const steps = ui.found ? [...ui.found.steps].sort((a, b) => a - b) : [];
  if (steps.length === 0) return;
  const after =
    direction > 0
      ? steps.find((step) => step > ui.step)
      : steps.reverse().find((step) => step < ui.step);
  ui.select(after !== undefined ? after : steps[0]);
}

// ---- header, theme, keys ----------------------------------------------------------------------

function showHeader() {
  const j = ui.plan.json;
  const file = j.model.split('/').pop();
  document.title = file + ' \u00b7 Arenite report';
  byId('title').textContent = file;
  byId('subtitle').textContent =
    'planner ' + j.planner + ', alignment ' + j.alignment + ', arenite ' + j.engine;
  const chips =
    ui.plans.length < 2
      ? []
      : ui.plans.map((plan, i) => {
          const line = element('i', {style: 'border-color: ' + planColour(ui, plan)});
          return element(
            'button',
            {
              class: 'chip',
              role: 'tab',
              'aria-selected': String(plan === ui.plan),
              title: plan.label,
              onclick: () => ui.showPlan(i),
            },
            line,
            element('span', {}, plan.label),
            element('kbd', {}, i + 1),
          );
        });
  if (ui.plans.length > 1) {
    chips.push(
      element(
        'button',
        {
          id: 'compare-maps',
          'aria-pressed': String(ui.other !== null),
          title: 'Second map below (C)',
          onclick: ui.compare,
        },
        ui.other ? 'with ' + ui.other.label : 'Two maps',
      ),
    );
  }
  byId('plans').replaceChildren(...chips);
  byId('map2').hidden = ui.other === null;
  byId('pictures').classList.toggle('two', ui.other !== null);
  byId('map').style.flexBasis = '0px';
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  ui.palette = readPalette();
  ui.patterns.clear();
  if (ui.plan) (showHeader(), showLegend(ui));
  ui.draw();
}

function toggleTheme() {
  setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
}

const KEYS = [
  ['\u2190 \u2192', 'previous, next step (with Shift: by ten)'],
  ['Home End', 'first, last step'],
  ['P', 'to the peak'],
  ['+ \u2212 0', 'zoom in, zoom out, show everything'],
  ['/', 'search; Enter and N go to the next match'],
  ['1 to 8', 'plan'],
  ['C', 'a second map below'],
  ['M T S', 'map, table of tensors, table of steps'],
  ['D', 'light or dark'],
  ['W', 'write the pictures to a PNG file'],
  ['Esc', 'nothing selected, nothing searched'],
  ['?', 'this list'],
];

function clearAll() {
  ui.block = null;
  ui.focus = false;
  byId('search').value = '';
  search('');
  showPanel(ui);
}

const ACTIONS = {
  ArrowLeft: (event) => ui.select(ui.step - (event.shiftKey ? 10 : 1)),
  ArrowRight: (event) => ui.select(ui.step + (event.shiftKey ? 10 : 1)),
  Home: () => ui.select(0),
  End: () => ui.select(ui.plan.stepCount - 1),
  p: () => ui.select(ui.plan.json.peak_step),
  '+': () => zoomAtSelection(0.6),
  '=': () => zoomAtSelection(0.6),
  '-': () => zoomAtSelection(1 / 0.6),
  0: () => ui.fit(),
  '/': () => byId('search').focus(),
  n: () => nextFound(1),
  N: () => nextFound(-1),
  c: () => ui.compare(),
  m: () => ui.show('map'),
  t: () => ui.show('tensors'),
  s: () => ui.show('steps'),
  d: toggleTheme,
  w: savePicture,
  Escape: clearAll,
  '?': () => byId('help').showModal(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  if (event.target.tagName === 'INPUT') {
    if (event.key === 'Enter') nextFound(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') (clearAll(), event.target.blur());
    return;
  }
  const action = /^[1-8]$/.test(event.key)
    ? () => ui.showPlan(Number(event.key) - 1)
    : ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action(event);
}

function watch() {
  watchPicture(byId('curve'), () => ui.plan);
  watchPicture(byId('map'), () => ui.plan);
  watchPicture(byId('map2'), () => ui.other);
  watchOverview(byId('overview'));
  document.addEventListener('keydown', onKey);
  byId('search').addEventListener('input', (event) => search(event.target.value));
  for (const mode of ['map', 'tensors', 'steps'])
    byId('show-' + mode).onclick = () => ui.show(mode);
  byId('zoom-in').onclick = () => zoomAtSelection(0.6);
  byId('zoom-out').onclick = () => zoomAtSelection(1 / 0.6);
  byId('zoom-fit').onclick = ui.fit;
  byId('theme').onclick = toggleTheme;
  byId('save').onclick = savePicture;
  byId('help-button').onclick = () => byId('help').showModal();
  new ResizeObserver(ui.draw).observe(byId('pictures'));
  byId('keys').append(
    ...KEYS.map(([keys, what]) =>
      element('tr', {}, element('td', {}, element('kbd', {}, keys)), element('td', {}, what)),
    ),
  );
}

function start() {
  const report = JSON.parse(byId('data').textContent);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  ui.plans = report.plans.map(readPlan);
  setTheme(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', () => setTheme(dark.matches ? 'dark' : 'light'));
  watch();
  ui.showPlan(0);
}

start();
