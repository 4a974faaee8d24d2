'use strict';
// Tables of tensors and of steps: the same data for reading, sorting, and for those who do not see
// the pictures.

const TENSOR_COLUMNS = [
  ['#', (t) => t.index],
  ['Name', (t) => t.name],
  ['Role', (t) => t.role],
  ['Type', (t) => t.type.toLowerCase()],
  ['Shape', shapeText],
  ['Bytes', (t) => t.bytes],
  ['Region', (t) => t.region],
  ['Offset', (t) => t.offset],
  ['First', (t) => t.first_step],
  ['Last', (t) => t.last_step],
  ['Producer', (t) => t.producer],
  ['Owner', (t) => t.owner],
];
const STEP_COLUMNS = [
  ['Step', (s) => s.step],
  ['Operator', (s) => s.op],
  ['First row', (s) => s.first_row],
  ['Rows', (s) => s.rows],
  ['Live bytes', (s) => s.live_bytes],
  ['High water', (s) => s.high_water],
  ['At least', (s) => s.bound_bytes],
  ['Scratch', (s) => s.scratch_bytes],
  ['MACs', (s) => s.macs],
];
const ROW_HEIGHT = 27;

function columnsOf(ui) {
  if (ui.mode === 'tensors') return TENSOR_COLUMNS;
  const timed = ui.plan.steps.every((step) => typeof step.microseconds === 'number');
  return timed
    ? STEP_COLUMNS.concat([['\u00b5s', (s) => Number(s.microseconds.toFixed(2))]])
    : STEP_COLUMNS;
}

function sortedRows(ui, columns) {
  const rows = (ui.mode === 'tensors' ? ui.plan.tensors : ui.plan.steps).slice();
  const value = columns[Math.min(ui.sort.column, columns.length - 1)][1];
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  rows.sort((a, b) => order(value(a), value(b)) * ui.sort.direction);
  if (!ui.found) return rows;
  const isFound = (row) =>
    ui.mode === 'tensors' ? ui.found.tensors.has(row.index) : ui.found.steps.has(row.step);
  return rows.filter(isFound);
}

function tableRow(ui, columns, row) {
  const cells = columns.map(([, value]) => {
    const content = value(row);
    const number = typeof content === 'number';
    const text = content === -1 ? '\u2013' : number ? content.toLocaleString('en-US') : content;
    return element('td', {class: number ? 'number' : '', title: text}, text);
  });
  const chosen =
    ui.mode === 'tensors'
      ? ui.block && ui.block.tensor && ui.block.tensor.index === row.index
      : row.step === ui.step;
  const attributes = {class: chosen ? 'chosen' : '', onclick: () => ui.chooseRow(row)};
  return element('tr', attributes, ...cells);
}

// Only the rows in sight are there; two empty rows stand for the others.
function fillTable(ui, body, columns, rows) {
  const holder = document.getElementById('table');
  const from = Math.max(0, Math.floor(holder.scrollTop / ROW_HEIGHT) - 12);
  const to = Math.min(rows.length, from + Math.ceil(holder.clientHeight / ROW_HEIGHT) + 24);
  const space = (count) =>
    element(
      'tr',
      {'aria-hidden': 'true'},
      element('td', {
        colspan: columns.length,
        style: 'padding: 0; border: 0; height: ' + count * ROW_HEIGHT + 'px',
      }),
    );
  body.replaceChildren(
    space(from),
    ...rows.slice(from, to).map((row) => tableRow(ui, columns, row)),
    space(rows.length - to),
  );
}

function tableHead(ui, [name, value], column, firstRow) {
  const up = ui.sort.direction > 0;
  const sorted = column === ui.sort.column;
  const attributes = {
    scope: 'col',
    class: firstRow && typeof value(firstRow) === 'number' ? 'number' : '',
    'aria-sort': !sorted ? 'none' : up ? 'ascending' : 'descending',
  };
  const text = name + (!sorted ? '' : up ? ' \u25b4' : ' \u25be');
  return element('th', attributes, element('button', {onclick: () => ui.sortBy(column)}, text));
}

function showTable(ui) {
  const holder = document.getElementById('table');
  const columns = columnsOf(ui);
  const rows = sortedRows(ui, columns);
  const heads = columns.map((column, i) => tableHead(ui, column, i, rows[0]));
  const body = element('tbody', {});
  holder.replaceChildren(
    element(
      'table',
      {'aria-rowcount': rows.length + 1},
      element('thead', {}, element('tr', {}, ...heads)),
      body,
    ),
  );
  holder.onscroll = () => fillTable(ui, body, columns, rows);
  fillTable(ui, body, columns, rows);
}
