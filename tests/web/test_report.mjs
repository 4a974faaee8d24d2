// The page of `arenite report` in headless Chromium. Usage: node test_report.mjs PAGES
// PAGES: a folder with kws.html (+ kws.json), two.html, big.html, hostile.html; see test_report.sh.
// CHROMIUM: the browser's program. MODULES: the folder with node_modules.
import {readFileSync, existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

const pages = resolve(process.argv[2]);
const require = createRequire(join(resolve(process.env.MODULES), 'package.json'));
const {chromium} = require('playwright-core');
let passed = 0;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    passed++;
    console.log('ok    ' + name);
  } catch (error) {
    failed++;
    console.log('FAIL  ' + name + ': ' + error.message.split('\n')[0]);
  }
}

function equal(found, wanted, what) {
  if (found !== wanted) throw new Error(what + ' is ' + found + ', not ' + wanted);
}

const numberIn = (text) => Number(text.replace(/[^0-9.]/g, ''));

async function open(browser, name, options) {
  const page = await browser.newPage({viewport: {width: 1280, height: 820}, ...options});
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(file|blob):/.test(request.url())) problems.push('fetches ' + request.url());
  });
  await page.goto('file://' + join(pages, name));
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))),
  );
  return {page, problems};
}

const tileNumber = async (page, id) =>
  numberIn(await page.locator('#tile-' + id + ' .value').innerText());
const shownStep = async (page) =>
  Number((await page.locator('.step-head .at').innerText()).split(' ')[1]);
const view = (page) => page.evaluate(() => ({...ui.view, range: {...ui.range}}));

// How many pixels of a canvas are not of its most frequent colour.
const inked = (page, id) =>
  page.evaluate((name) => {
    const canvas = document.getElementById(name);
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const counts = new Map();
    const words = new Uint32Array(data.buffer);
    for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
    return words.length - Math.max(...counts.values());
  }, id);

// The point of the map in the middle of a block, on the page.
const middleOf = (page, tensor) =>
  page.evaluate((index) => {
    const canvas = document.getElementById('map');
    const box = canvas.getBoundingClientRect();
    const block = ui.plan.blocks.find((other) => other.tensor && other.tensor.index === index);
    const at = blockBox(ui, ui.frames.map, ui.range, ui.plan, block);
    return {x: box.left + at.x + at.w - 3, y: box.top + at.y + at.h / 2};
  }, tensor);

async function testOnePlan(browser) {
  const plan = JSON.parse(readFileSync(join(pages, 'kws.json'))).plans[0];
  const {page, problems} = await open(browser, 'kws.html');
  await check('totals equal the JSON', async () => {
    equal(await tileNumber(page, 'arena'), plan.arena_bytes, 'arena');
    equal(await tileNumber(page, 'static'), plan.static_bytes, 'static region');
    equal(await tileNumber(page, 'dynamic'), plan.dynamic_peak_bytes, 'dynamic region');
    equal(await tileNumber(page, 'bound'), plan.lower_bound_bytes, 'lower bound');
    equal(await tileNumber(page, 'weights'), plan.weight_bytes, 'weights');
    equal(await tileNumber(page, 'macs'), plan.macs, 'MACs');
    equal(await tileNumber(page, 'peak'), plan.steps[plan.peak_step].live_bytes, 'peak');
  });
  await check('the formula equals the JSON and adds up to the arena', async () => {
    for (const [part, bytes] of Object.entries(plan.breakdown)) {
      equal(numberIn(await page.locator('[data-part="' + part + '"]').innerText()), bytes, part);
    }
    equal(numberIn(await page.locator('#sum').innerText()), plan.arena_bytes, 'sum');
  });
  await check('the peak is selected first', async () => {
    equal(await shownStep(page), plan.peak_step, 'step');
    equal(await page.locator('.badge').innerText(), 'PEAK', 'badge');
  });
  await check('each step shows its own numbers and live set', async () => {
    await page.keyboard.press('Home');
    for (const step of plan.steps) {
      equal(await shownStep(page), step.step, 'step');
      equal(await page.locator('#step-op').innerText(), step.op, 'operator');
      equal(
        numberIn(await page.locator('#step-facts dd').first().innerText()),
        step.live_bytes,
        'live',
      );
      const bytes = await page
        .locator('#alive button')
        .evaluateAll((list) => list.map((button) => Number(button.dataset.bytes)));
      const wanted = step.live.map((index) => plan.tensors[index].bytes).reverse();
      if (step.scratch_bytes > 0) wanted.push(step.scratch_bytes);
      equal(String(bytes.sort((a, b) => a - b)), String(wanted.sort((a, b) => a - b)), 'live set');
      await page.keyboard.press('ArrowRight');
    }
    equal(await shownStep(page), plan.steps.length - 1, 'step after the last');
    await page.keyboard.press('p');
    equal(await shownStep(page), plan.peak_step, 'step after P');
  });
  await check('both pictures are drawn', async () => {
    for (const id of ['curve', 'map', 'overview']) {
      if ((await inked(page, id)) < 1000) throw new Error(id + ' is empty');
    }
  });
  await testPointer(page, plan);
  await testZoom(page, plan);
  await testTables(page, plan);
  await testSearch(page, plan);
  await check('dark and light', async () => {
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await back();
    await page.keyboard.press('d');
    if ((await back()) === before) throw new Error('D changes nothing');
    if ((await inked(page, 'map')) < 1000) throw new Error('the map is empty');
    await page.keyboard.press('d');
    equal(await back(), before, 'background');
  });
  await check('the pictures are saved as a PNG file', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download', {timeout: 5000}),
      page.keyboard.press('w'),
    ]);
    equal(download.suggestedFilename(), 'kws.png', 'name');
    const bytes = readFileSync(await download.path());
    equal(bytes.subarray(1, 4).toString(), 'PNG', 'signature');
    equal(bytes.length > 5000, true, 'more than 5,000 bytes');
  });
  await check('nothing is fetched, no error is raised', async () =>
    equal(problems.join('; '), '', 'list'),
  );
  await page.close();
}

async function testPointer(page, plan) {
  const index = plan.steps[plan.peak_step].live[0];
  const tensor = plan.tensors[index];
  await check('hovering names the tensor', async () => {
    const at = await middleOf(page, index);
    await page.mouse.move(at.x, at.y);
    const tip = await page.locator('#tip').innerText();
    const address = '0x' + (plan.peak_offset + tensor.offset).toString(16).padStart(4, '0');
    const wanted = [
      tensor.name,
      '#' + index,
      tensor.shape.join('\u00d7'),
      tensor.bytes.toLocaleString('en-US'),
      address,
      'steps ' + tensor.first_step + ' to ' + tensor.last_step,
    ];
    for (const text of wanted)
      if (!tip.includes(text)) throw new Error('no "' + text + '" in the tip');
  });
  await check('clicking selects the step and the tensor', async () => {
    const at = await middleOf(page, index);
    await page.mouse.click(at.x, at.y);
    equal(await shownStep(page), tensor.last_step, 'step');
    equal(await page.evaluate(() => ui.block && ui.block.tensor.index), index, 'tensor');
    await page.keyboard.press('Escape');
    equal(await page.evaluate(() => ui.block), null, 'tensor after Esc');
  });
  await check('clicking the curve selects a step', async () => {
    const box = await page.locator('#curve').boundingBox();
    await page.mouse.click(box.x + box.width - 30, box.y + box.height / 2);
    equal(await shownStep(page), plan.steps.length - 1, 'step');
  });
}

async function testZoom(page, plan) {
  await check('the wheel zooms in time around the pointer, both pictures alike', async () => {
    const box = await page.locator('#map').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -400);
    const after = await view(page);
    if (!(after.to - after.from < plan.steps.length)) throw new Error('nothing changed');
    const same = await page.evaluate(
      () => xOf(ui, ui.frames.map, ui.plan, 1) === xOf(ui, ui.frames.curve, ui.plan, 1),
    );
    equal(same, true, 'common axis');
  });
  await check('Shift and the wheel zooms in addresses', async () => {
    const before = await view(page);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Shift');
    const after = await view(page);
    if (!(after.range.high - after.range.low < before.range.high - before.range.low)) {
      throw new Error('nothing changed');
    }
  });
  await check('dragging moves, a key shows everything', async () => {
    const box = await page.locator('#map').boundingBox();
    const before = await view(page);
    await page.mouse.move(box.x + 300, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 380, box.y + 100, {steps: 4});
    await page.mouse.up();
    const moved = await view(page);
    if (before.from > 0 && !(moved.from < before.from)) throw new Error('nothing moved');
    await page.keyboard.press('0');
    const all = await view(page);
    equal(all.from + ' ' + all.to, '0 ' + plan.steps.length, 'window');
  });
}

async function testTables(page, plan) {
  const cells = () =>
    page
      .locator('#table tbody tr:not([aria-hidden])')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  await check('the table of tensors equals the JSON', async () => {
    await page.keyboard.press('t');
    const rows = await cells();
    equal(rows.length, plan.tensors.length, 'rows');
    rows.forEach((row, i) => {
      equal(row[1], plan.tensors[i].name, 'name');
      equal(numberIn(row[5]), plan.tensors[i].bytes, 'bytes of #' + i);
      equal(numberIn(row[7]), plan.tensors[i].offset, 'offset of #' + i);
    });
  });
  await check('a click sorts by a column', async () => {
    await page.locator('#table th button', {hasText: 'Bytes'}).click();
    const bytes = (await cells()).map((row) => numberIn(row[5]));
    equal(String(bytes), String(bytes.slice().sort((a, b) => a - b)), 'order');
  });
  await check('the table of steps equals the JSON', async () => {
    await page.keyboard.press('s');
    const rows = await cells();
    equal(rows.length, plan.steps.length, 'rows');
    rows.forEach((row, i) => {
      equal(numberIn(row[4]), plan.steps[i].live_bytes, 'live bytes');
      equal(numberIn(row[5]), plan.steps[i].high_water, 'high water');
    });
    await page.keyboard.press('m');
  });
}

async function testSearch(page, plan) {
  await check('search finds operators, Enter goes there', async () => {
    const last = plan.steps[plan.steps.length - 1];
    await page.keyboard.press('Home');
    await page.keyboard.press('/');
    await page.keyboard.type(last.op);
    await page.keyboard.press('Enter');
    equal(await page.locator('#step-op').innerText(), last.op, 'operator');
    await page.keyboard.press('Escape');
    equal(await page.locator('#search').inputValue(), '', 'search after Esc');
  });
}

async function testTwoPlans(browser) {
  const plans = JSON.parse(readFileSync(join(pages, 'two.json'))).plans;
  const {page, problems} = await open(browser, 'two.html', {colorScheme: 'dark'});
  await check('two plans: keys switch, numbers follow', async () => {
    equal(await page.locator('.chip').count(), 2, 'number of chips');
    equal(await tileNumber(page, 'arena'), plans[0].arena_bytes, 'arena');
    await page.keyboard.press('2');
    equal(await tileNumber(page, 'arena'), plans[1].arena_bytes, 'arena of the second');
    equal(await shownStep(page), plans[1].peak_step, 'step');
  });
  await check('two plans: a second map with the same axes', async () => {
    await page.keyboard.press('c');
    await page.waitForFunction(() => ui.frames.map2);
    if ((await inked(page, 'map2')) < 1000) throw new Error('it is empty');
    const widths = await page.evaluate(() => [ui.frames.map.width, ui.frames.map2.width]);
    equal(widths[0], widths[1], 'width');
    await page.keyboard.press('c');
    equal(await page.locator('#map2').isHidden(), true, 'hidden');
  });
  await check('two plans: no error', async () => equal(problems.join('; '), '', 'list'));
  await page.close();
}

async function testBig(browser) {
  const started = Date.now();
  const {page, problems} = await open(browser, 'big.html');
  await check('5,000 steps: there within 8 seconds', async () => {
    const took = Date.now() - started;
    console.log('note  5,000 steps shown after ' + took + ' ms');
    if (took > 8000) throw new Error(took + ' ms');
  });
  await check('5,000 steps: a frame takes less than 400 ms', async () => {
    const took = await page.evaluate(() => {
      const before = performance.now();
      for (let i = 0; i < 5; i++) drawNow();
      return (performance.now() - before) / 5;
    });
    console.log('note  a frame takes ' + took.toFixed(1) + ' ms');
    if (took > 400) throw new Error(took + ' ms');
  });
  await check('5,000 steps: the table holds only what is seen, and scrolls', async () => {
    await page.keyboard.press('s');
    const rows = page.locator('#table tbody tr:not([aria-hidden])');
    if ((await rows.count()) > 200) throw new Error((await rows.count()) + ' rows');
    await page.evaluate(() => {
      document.getElementById('table').scrollTop = 1e9;
    });
    await page.waitForFunction(() =>
      [...document.querySelectorAll('#table tbody tr td:first-child')].some(
        (td) => td.textContent === '4,999',
      ),
    );
  });
  await check('5,000 steps: no error', async () => equal(problems.join('; '), '', 'list'));
  await page.close();
}

async function testHostile(browser) {
  const {page, problems} = await open(browser, 'hostile.html');
  await check('hostile names are shown, not obeyed', async () => {
    equal(await page.evaluate(() => window.owned), undefined, 'window.owned');
    equal(await page.locator('img, b, iframe').count(), 0, 'elements from names');
    await page.keyboard.press('t');
    const text = await page.locator('#table').innerText();
    if (!text.includes('</script>')) throw new Error('the name is not there');
    equal(problems.join('; '), '', 'list of errors');
  });
  await page.close();
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});
await testOnePlan(browser);
await testTwoPlans(browser);
if (existsSync(join(pages, 'big.html'))) await testBig(browser);
await testHostile(browser);
await browser.close();
console.log(passed + ' passed, ' + failed + ' failed');
process.exit(failed === 0 ? 0 : 1);
