'use strict';
// Text: tiles, side panel, tooltip, legend. What comes from models goes in as text nodes only,
// never as markup.

// element('dd', {class: 'x'}, child...): children are nodes or text.
function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function percentText(part, whole) {
  return whole > 0 ? ((100 * part) / whole).toFixed(1) + '\u00a0%' : '';
}

function swatchOf(block) {
  const style = 'background: var(--' + block.kind + '-' + block.tint + ')';
  return element('span', {class: 'swatch', style});
}

function macsText(macs) {
  if (macs >= 1e6) return (macs / 1e6).toFixed(macs >= 1e8 ? 0 : 1) + '\u00a0M';
  return macs.toLocaleString('en-US');
}

// ---- tiles ------------------------------------------------------------------------------------

function tile(id, name, value, note, first) {
  return element(
    'div',
    {class: first ? 'tile first' : 'tile', id: 'tile-' + id},
    element('div', {class: 'name'}, name),
    element('div', {class: 'value'}, value),
    element('div', {class: 'note'}, note || '\u00a0'),
  );
}

function kibText(bytes) {
  return (bytes / 1024).toFixed(bytes < 10240 ? 2 : 1) + ' KiB';
}

function showTiles(ui) {
  const plan = ui.plan;
  const j = plan.json;
  const above = j.dynamic_peak_bytes - j.lower_bound_bytes;
  const peak = plan.steps[j.peak_step];
  const init = j.breakdown.init_temporary > 0;
  const tiles = [
    tile(
      'arena',
      'Arena',
      bytesText(j.arena_bytes),
      kibText(j.arena_bytes) + (init ? ', set by the start' : ', all of it'),
      true,
    ),
    tile(
      'static',
      'Static region',
      bytesText(j.static_bytes),
      percentText(j.static_bytes, j.arena_bytes),
    ),
    tile(
      'dynamic',
      'Dynamic region',
      bytesText(j.dynamic_peak_bytes),
      'from ' + hexText(j.peak_offset),
    ),
    tile(
      'bound',
      'Lower bound',
      bytesText(j.lower_bound_bytes),
      above <= 0 ? 'reached' : bytesText(above) + ' above it',
    ),
    tile(
      'peak',
      'Peak',
      peak ? bytesText(peak.live_bytes) : '\u2013',
      peak ? 'step ' + j.peak_step + ', ' + peak.op : 'no steps',
    ),
    tile('macs', 'MACs', macsText(j.macs), plan.steps.length.toLocaleString('en-US') + ' steps'),
    tile('weights', 'Weights, in flash', bytesText(j.weight_bytes), kibText(j.weight_bytes)),
  ];
  if (typeof j.measured_high_water_bytes === 'number') {
    const same = j.measured_high_water_bytes === j.arena_bytes;
    tiles.push(
      tile(
        'measured',
        'Measured',
        bytesText(j.measured_high_water_bytes),
        same ? 'as planned' : 'not as planned',
      ),
    );
  }
  document.getElementById('tiles').replaceChildren(...tiles);
}

// ---- side panel -------------------------------------------------------------------------------

function fact(name, value) {
  return [element('dt', {}, name), element('dd', {}, value)];
}

function stepFacts(plan, step) {
  const list = [
    ...fact('Live bytes', bytesText(step.live_bytes)),
    ...fact('High water', bytesText(step.high_water)),
    ...fact('This step needs at least', bytesText(step.bound_bytes)),
  ];
  if (step.scratch_bytes > 0) list.push(...fact('Scratch', bytesText(step.scratch_bytes)));
  if (step.macs > 0) list.push(...fact('MACs', step.macs.toLocaleString('en-US')));
  const byRows = plan.steps.length !== plan.nodes.length;
  if (byRows) {
    const rows = rowsText({firstRow: step.first_row, rows: step.rows});
    list.push(...fact('Output', rows + (step.node >= 0 ? ' of node ' + step.node : '')));
  } else if (step.rows > 1) {
    list.push(...fact('Rows', step.rows + (step.by_rows ? ', one at a time' : '')));
  }
  if (typeof step.microseconds === 'number') {
    list.push(...fact('Time on the host', step.microseconds.toFixed(1) + '\u00a0\u00b5s'));
  }
  if (typeof step.measured_high_water === 'number') {
    list.push(...fact('Touched up to', bytesText(step.measured_high_water)));
  }
  return element('dl', {id: 'step-facts'}, ...list);
}

// Row groups of one tensor, listed one behind the other, become one entry.
function mergeRows(blocks) {
  const list = [];
  for (const block of blocks) {
    const before = list[list.length - 1];
    if (before && !block.whole && before.tensor === block.tensor) {
      before.bytes += block.bytes;
      before.groups.push(block);
    } else {
      list.push({bytes: block.bytes, tensor: block.tensor, groups: [block]});
    }
  }
  return list;
}

function describe(block) {
  const tensor = block.tensor;
  const rows = block.whole ? '' : ', ' + rowsText(block);
  const what = tensor
    ? shapeText(tensor) + ' ' + tensor.type.toLowerCase() + rows + ' \u00b7 '
    : '';
  return what + hexText(block.low);
}

function liveRow(ui, entry) {
  const block = entry.groups[0];
  const several = entry.groups.length > 1;
  const rows = entry.groups.reduce((sum, group) => sum + group.rows, 0);
  const part = partOf(ui.plan, block, ui.step);
  const pairs = several ? [] : partnersOf(ui.plan, block, ui.step);
  const more = element(
    'span',
    {class: 'more'},
    several
      ? shapeText(block.tensor) +
          ', ' +
          rows +
          ' rows, from ' +
          hexText(entry.groups[entry.groups.length - 1].low) +
          ' '
      : describe(block) + ' ',
    part ? element('span', {class: 'tag'}, part) : null,
    ' ',
    ...pairs.map((pair) => element('span', {class: 'tag over'}, partnerText(pair, block))),
  );
  const pressed = String(entry.groups.includes(ui.block));
  return element(
    'li',
    {},
    element(
      'button',
      {
        'aria-pressed': pressed,
        'data-bytes': entry.bytes,
        onclick: () => ui.choose(block),
        onmouseenter: () => ui.pointAt(block),
        onmouseleave: () => ui.pointAt(null),
      },
      swatchOf(block),
      element('span', {class: 'name', title: block.name}, block.label),
      element('span', {}, bytesText(entry.bytes)),
      more,
    ),
  );
}

const PARTS = [
  ['tensor_data', 'Tensor data at the peak'],
  ['scratch', 'Scratch at the peak'],
  ['alignment_padding', 'Alignment padding'],
  ['unused', 'Holes of the packing'],
  ['engine_records', 'Engine records'],
  ['op_data', 'Prepared operator data'],
  ['variables', 'Variables'],
  ['weights_copied', 'Weights copied'],
  ['init_temporary', 'Planning, while starting'],
];

function breakdownTable(plan) {
  const rows = PARTS.map(([key, name]) => {
    const bytes = plan.json.breakdown[key];
    return element(
      'tr',
      {class: bytes > 0 ? '' : 'none'},
      element('td', {}, name),
      element('td', {'data-part': key}, bytesText(bytes)),
      element('td', {}, percentText(bytes, plan.arena)),
    );
  });
  const sum = PARTS.reduce((total, [key]) => total + plan.json.breakdown[key], 0);
  rows.push(
    element(
      'tr',
      {class: 'sum'},
      element('td', {}, 'The arena'),
      element('td', {id: 'sum'}, bytesText(sum)),
      element('td', {}, ''),
    ),
  );
  return element('table', {class: 'parts'}, ...rows);
}

function liveBar(entries) {
  const parts = entries.map((entry) =>
    element('i', {
      style:
        'flex: ' +
        entry.bytes +
        ' 0 0; background: var(--' +
        entry.groups[0].kind +
        '-' +
        entry.groups[0].tint +
        ')',
      title: entry.groups[0].label + ', ' + bytesText(entry.bytes),
    }),
  );
  return element('div', {class: 'bar', 'aria-hidden': 'true'}, ...parts);
}

// With `arenite plan --ladder`: the dynamic region by each way of planning, and what holds it up.
function ladder(plan) {
  const list = Array.isArray(plan.json.ladder) ? plan.json.ladder : [];
  const rungs = list.filter((rung) => rung && typeof rung.dynamic_bytes === 'number');
  if (rungs.length === 0) return [];
  const rows = rungs.map((rung) =>
    element(
      'tr',
      {title: rung.bound + '; cost: ' + rung.cost},
      element('td', {}, rung.rung),
      element('td', {}, bytesText(rung.dynamic_bytes)),
      element('td', {}, percentText(rung.dynamic_bytes, rungs[0].dynamic_bytes)),
    ),
  );
  return [
    element('h3', {}, 'Dynamic region by way of planning'),
    element('table', {class: 'parts', id: 'ladder'}, ...rows),
  ];
}

// What the other plans have at the same place in time.
function otherPlans(ui) {
  if (ui.plans.length < 2) return [];
  const rows = ui.plans.map((plan) => {
    const change = plan.arena - ui.plan.arena;
    const text =
      plan === ui.plan
        ? ''
        : (change > 0 ? '+' : change < 0 ? '\u2212' : '\u00b1') +
          Math.abs(change).toLocaleString('en-US');
    return element(
      'tr',
      {},
      element('td', {}, plan.label),
      element('td', {}, bytesText(plan.arena)),
      element('td', {}, text),
    );
  });
  return [
    element('h3', {}, 'Arena of each plan'),
    element('table', {class: 'parts', id: 'compare'}, ...rows),
  ];
}

function showPanel(ui) {
  const plan = ui.plan;
  const step = plan.steps[ui.step];
  const panel = document.getElementById('panel');
  if (!step) {
    panel.replaceChildren(element('h2', {}, 'No steps'), breakdownTable(plan));
    return;
  }
  const entries = mergeRows(plan.live[ui.step].slice().reverse());
  const peak = ui.step === plan.json.peak_step;
  panel.replaceChildren(
    element(
      'div',
      {class: 'step-head'},
      element('span', {class: 'at'}, 'Step ' + ui.step + ' of 0\u2013' + (plan.steps.length - 1)),
      peak ? element('span', {class: 'badge'}, 'PEAK') : null,
      element(
        'button',
        {
          title: 'Previous step (left)',
          'aria-label': 'Previous step',
          onclick: () => ui.select(ui.step - 1),
        },
        '\u2190',
      ),
      element(
        'button',
        {
          title: 'Next step (right)',
          'aria-label': 'Next step',
          onclick: () => ui.select(ui.step + 1),
        },
        '\u2192',
      ),
      element(
        'button',
        {title: 'To the peak (P)', onclick: () => ui.select(plan.json.peak_step)},
        'Peak',
      ),
    ),
    element('h2', {id: 'step-op'}, step.op),
    stepFacts(plan, step),
    element('h3', {}, 'Alive, from the top address down'),
    liveBar(entries),
    element('ul', {class: 'blocks', id: 'alive'}, ...entries.map((entry) => liveRow(ui, entry))),
    element('h3', {}, 'Every byte of the arena'),
    breakdownTable(plan),
    ...ladder(plan),
    ...otherPlans(ui),
  );
}

// ---- tooltip ----------------------------------------------------------------------------------

function tensorFacts(plan, block) {
  const tensor = block.tensor;
  const by = tensor.producer >= 0 ? plan.steps.find((step) => step.node === tensor.producer) : null;
  const list = [
    ...fact('Tensor', '#' + tensor.index + ', ' + tensor.role),
    ...fact('Shape', shapeText(tensor) + ' ' + tensor.type.toLowerCase()),
  ];
  if (!block.whole) {
    list.push(...fact('Part', rowsText(block) + ' of ' + tensor.rows));
  }
  list.push(
    ...fact('Bytes', bytesText(block.bytes)),
    ...fact(
      'Address',
      hexText(block.low) +
        ' to ' +
        hexText(block.high - 1) +
        ' (offset ' +
        (block.low - (block.id < 0 ? 0 : plan.base)).toLocaleString('en-US') +
        ')',
    ),
    ...fact('Producer', by ? by.op + ', node ' + tensor.producer : 'none: given from outside'),
    ...fact('Used', 'steps ' + block.first + ' to ' + block.last),
  );
  if (typeof tensor.scale === 'number') {
    list.push(
      ...fact(
        'Quantised',
        'scale ' + tensor.scale.toPrecision(5) + ', zero point ' + tensor.zero_point,
      ),
    );
  }
  const views = plan.views.get(tensor.index) || [];
  if (views.length > 0) list.push(...fact('Views', views.map((v) => '#' + v.index).join(', ')));
  return list;
}

function blockTip(plan, block, step) {
  const facts = block.tensor
    ? tensorFacts(plan, block)
    : [
        ...fact('Bytes', bytesText(block.bytes)),
        ...fact('Address', hexText(block.low)),
        ...fact('Used', 'steps ' + block.first + ' to ' + block.last),
      ];
  const pairs = partnersOf(plan, block, step);
  return element(
    'div',
    {},
    element('div', {class: 'name'}, block.name),
    element('dl', {}, ...facts),
    ...pairs.map((pair) => element('div', {class: 'more'}, partnerText(pair, block))),
  );
}

function stepTip(plan, step) {
  const s = plan.steps[step];
  return element(
    'div',
    {},
    element('div', {class: 'name'}, 'Step ' + step + ', ' + s.op),
    element(
      'dl',
      {},
      ...fact('Live', bytesText(s.live_bytes)),
      ...fact('High water', bytesText(s.high_water)),
    ),
  );
}

function showTip(nodes, x, y) {
  const tip = document.getElementById('tip');
  tip.hidden = nodes.length === 0;
  if (tip.hidden) return;
  tip.replaceChildren(...nodes.flatMap((node, i) => (i ? [element('hr', {}), node] : [node])));
  const box = tip.getBoundingClientRect();
  const left = x + 16 + box.width > window.innerWidth ? x - 14 - box.width : x + 16;
  const top = Math.min(y + 14, window.innerHeight - box.height - 8);
  tip.style.transform = 'translate(' + Math.max(4, left) + 'px,' + Math.max(4, top) + 'px)';
}

// ---- legend -----------------------------------------------------------------------------------

const LEGEND = [
  ['intermediate', 'intermediate'],
  ['input', 'input'],
  ['output', 'output'],
  ['scratch', 'scratch'],
  ['variable', 'variable'],
  ['static', 'static region'],
  ['padding', 'padding'],
  ['hole', 'hole'],
  ['shared', 'overwritten while read'],
  ['alive', 'bytes alive'],
  ['high', 'high water'],
];

function hasKind(plan, kind) {
  if (kind === 'shared') return plan.shared.length > 0;
  if (kind === 'variable') return plan.fixed.length > 0;
  if (kind === 'hole') return plan.hasHoles;
  if (kind === 'padding') {
    return plan.padding.length > 0 || plan.json.breakdown.init_temporary > 0;
  }
  if (kind === 'alive' || kind === 'high') return true;
  return kind === 'static' || plan.blocks.some((block) => block.kind === kind);
}

// A piece of a line of the curve.
function lineSwatch(ui, c, kind) {
  c.strokeStyle = ui.palette[kind === 'alive' ? 'live-line' : 'high'];
  c.lineWidth = kind === 'alive' ? 2 : 1.2;
  c.setLineDash(kind === 'alive' ? [] : [2, 2]);
  c.beginPath();
  c.moveTo(0, 7);
  c.lineTo(20, 7);
  c.stroke();
}

function legendSwatch(ui, kind) {
  const canvas = element('canvas', {width: 40, height: 26});
  const c = canvas.getContext('2d');
  c.scale(2, 2);
  if (kind === 'alive' || kind === 'high') {
    lineSwatch(ui, c, kind);
    return canvas;
  }
  const flat = {static: 'static-0', hole: 'hole', intermediate: 'intermediate-0'};
  c.fillStyle = flat[kind] ? ui.palette[flat[kind]] : patternOf(ui, c, kind, 0);
  if (kind === 'shared') c.fillStyle = ui.palette['intermediate-1'];
  c.fillRect(0, 0, 20, 13);
  if (kind !== 'shared') return canvas;
  c.fillStyle = ui.palette['intermediate-2'];
  c.strokeStyle = ui.palette.label;
  c.beginPath();
  c.moveTo(0, 13);
  c.lineTo(20, 13);
  c.lineTo(20, 0);
  c.closePath();
  c.fill();
  c.stroke();
  return canvas;
}

function showLegend(ui) {
  const items = LEGEND.filter(([kind]) => hasKind(ui.plan, kind)).map(([kind, name]) =>
    element(
      'span',
      {},
      legendSwatch(ui, kind),
      kind === 'padding' && ui.hasStart ? 'padding, records of planning' : name,
    ),
  );
  document.getElementById('legend').replaceChildren(...items);
}
