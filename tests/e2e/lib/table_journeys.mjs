// Tables from a file to exported predictions, by the keyboard alone: the driver sets the files and nothing else.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { waitForFile, waitUntil } from './files.mjs';
import { Keys } from './keys.mjs';
import { scenario } from './scenario.mjs';
import { flowers, houses } from './table_data.mjs';
import { Ui } from './ui.mjs';

const finished = ({ phase }) => phase === 'finished';

/** Sets the epochs, trains, and waits for what was measured. */
async function train(keys, ui, observer, epochs) {
  await keys.type('epochs', epochs);
  await keys.to('train');
  await keys.press('Enter');
  const done = await observer.until(finished, 'the run to finish', 90);
  await ui.wait('table-result', 60);
  return done;
}

async function predict(ui, path) {
  await ui.wait('predict-file');
  const input = await ui.page.$('[data-testid="predict-file"]');
  await input.uploadFile(path);
}

/** Rows of a small CSV file without quotes, once the browser has written it: Firefox makes an empty one first. */
async function savedRows(world, name) {
  const path = await waitForFile(world.downloads, name);
  await waitUntil(() => statSync(path).size > 0, `what ${name} holds`);
  const [head, ...rows] = readFileSync(path, 'utf8').trim().split('\n');
  const names = head.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [names[i], cell])));
}

export function tableJourneys(browser, title) {
  scenario(
    `${title}: classes are learnt from a table, judged, and predicted for another file, by keys alone`,
    { browser, host: false, seconds: 240 },
    async ({ world, session, observer }) => {
      const page = await session.openDashboard();
      await page.bringToFront();
      const ui = new Ui(page);
      const keys = new Keys(page);
      await ui.pickFile(world.write('flowers.csv', flowers(300)));
      await ui.wait('train');
      const chosen = (id) => page.$eval(`[data-testid="${id}"]`, (one) => one.value);
      assert.deepEqual([await chosen('target'), await chosen('task')], ['kind', 'classification']);
      assert.equal(await ui.visible('look-back'), false, 'a table has no look-back');
      const done = await train(keys, ui, observer, 20);
      assert.equal(done.config.data.task, 'classification');
      assert.deepEqual(done.config.data.features, ['size', 'shade', 'leaf']);
      const { accuracy } = done.history.epochs.at(-1);
      assert.ok(accuracy > 0.8, `accuracy ${accuracy}`);
      await ui.waitText('verdict', /^Right for \d/, 60);
      assert.match(await ui.text('mean-error'), /%$/);
      for (const id of ['confusion', 'by-class', 'roc-chart', 'calibration-chart', 'worst'])
        await ui.wait(id);
      const counts = await page.$$eval('[data-testid="confusion"] td', (cells) =>
        cells.reduce((sum, cell) => sum + Number(cell.textContent), 0),
      );
      assert.equal(counts, done.windows.validation, 'every held-out row stands in the matrix once');
      const [first] = await page.$$eval('[data-testid="importance"] li', (rows) =>
        rows.map((row) => row.firstChild.textContent),
      );
      assert.equal(first, 'size', 'what decides most stands first');
      await keys.to('curve-class');
      await keys.press('ArrowDown');
      await ui.waitText('areas', /against all others/);
      await keys.to('predict-file');

      // Columns are missing: said by name, and nothing is saved.
      await predict(ui, world.write('short.csv', 'size,shade\n1,0.5\n2,0.25\n'));
      assert.match(await ui.waitText('predict-problem', /\w/, 30), /'leaf'/);
      const fresh = flowers(40, { answers: false, leaf: ['round', 'long', 'spiny'] });
      await predict(ui, world.write('new.csv', fresh));
      await ui.waitText('predicted', /^40 predictions were saved/, 30);
      assert.match(await ui.text('unseen'), /^leaf: 13 rows .*"spiny"/);
      const rows = await savedRows(world, 'new-predictions.csv');
      const sizes = fresh
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => Number(line.split(',')[0]));
      assert.equal(rows.length, 40);
      const tall = rows.filter(({ prediction }, i) => (prediction === 'tall') === sizes[i] > 6);
      assert.ok(tall.length > 30, `${tall.length} of 40 are told rightly`);
      for (const row of rows) {
        const sum = ['creeper', 'dwarf', 'tall'].reduce(
          (all, kind) => all + Number(row[`p(${kind})`]),
          0,
        );
        assert.ok(Math.abs(sum - 1) < 1e-3, 'probabilities add up to 1');
      }
      assert.deepEqual([...keys.unseen], [], 'every stop shows that it has the focus');
    },
  );

  scenario(
    `${title}: a number is learnt from a table, judged, and predicted for another file, by keys alone`,
    { browser, host: false, seconds: 240 },
    async ({ world, session, observer }) => {
      const page = await session.openDashboard();
      await page.bringToFront();
      const ui = new Ui(page);
      const keys = new Keys(page);
      await ui.pickFile(world.write('houses.csv', houses(300)));
      await ui.wait('train');
      const task = await page.$eval('[data-testid="task"]', (one) => one.value);
      assert.equal(task, 'regression');
      const done = await train(keys, ui, observer, 30);
      assert.equal(done.config.data.target, 'price');
      assert.ok(done.history.epochs.at(-1).r2 > 0.8, 'most differences are explained');
      await ui.waitText('verdict', /^Off by /, 60);
      for (const id of ['error-table', 'scatter-chart', 'residual-chart', 'importance', 'worst'])
        await ui.wait(id);
      await keys.to('predict-file');
      await predict(ui, world.write('other.csv', houses(25, { answers: false })));
      await ui.waitText('predicted', /^25 predictions were saved/, 30);
      const truth = houses(25).trim().split('\n').slice(1);
      const off = (await savedRows(world, 'other-predictions.csv')).map(({ prediction }, i) =>
        Math.abs(Number(prediction) - Number(truth[i].split(',')[3])),
      );
      assert.equal(off.length, 25);
      const mean = off.reduce((sum, one) => sum + one, 0) / off.length;
      assert.ok(mean < 40, `off by ${mean} on average, of prices from 70 to 420`);
      assert.deepEqual([...keys.unseen], [], 'every stop shows that it has the focus');
    },
  );
}
