// What is wrong with a file is said in words that name what and where, and the page stays usable.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { largeSeries, series } from '../lib/data.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const ready = (state) => state.phase === 'ready';

async function trainsAfterwards({ world, observer, ui }) {
  await ui.pickFile(world.write('good.csv', series(200)));
  const state = await observer.until(
    (one) => ready(one) && one.source.name === 'good.csv',
    'a good file after the bad one',
  );
  assert.equal(state.description.rows, 200);
}

scenario(
  'a malformed CSV is repaired, and each repair is shown with its line and column',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    const broken = series(60, (row, fields) => {
      if (row === 9) return fields.slice(0, 2); // line 11 lacks a field
      if (row === 19) return [...fields, 'extra']; // line 21 has one too many
      return fields;
    });
    await ui.pickFile(world.write('broken.csv', broken));
    const { description } = await observer.until(ready, 'the file to be read');
    const lines = description.repairs.map((repair) => repair.line);
    assert.ok(lines.includes(11) && lines.includes(21), `repairs in lines ${lines}`);
    for (const repair of description.repairs) assert.ok(repair.column >= 1 && repair.message);
    const shown = await ui.waitText('repairs', /line 11, column \d+/i);
    assert.match(shown, /line 21, column \d+/i);
  },
);

scenario(
  'an empty file is refused by name, and the next file works',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('nothing.csv', ''));
    assert.match(await ui.waitNotice(/nothing\.csv/), /empty/i);
    await trainsAfterwards({ world, observer, ui });
  },
);

scenario(
  'a column of text cannot be the target: the page and the worker both say why',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    const words = series(120, (row, [date, value]) => [date, value, `note ${row} about it`]);
    await ui.pickFile(world.write('words.csv', words.replace('other', 'remark')));
    const state = await observer.until(ready, 'the file to be read');
    assert.notEqual(state.description.columns[2].type, 'number');
    await ui.wait('train');
    const offered = await ui.enabledOptions('target');
    assert.ok(offered.includes('value') && !offered.includes('remark'), `offered: ${offered}`);
    const refused = await observer.call({
      type: 'run.start',
      config: {
        model: { name: 'lstm' },
        data: { features: ['value'], target: 'remark' },
        training: {},
      },
    });
    assert.equal(refused.ok, false);
    assert.match(refused.message, /remark/);
  },
);

scenario(
  'a target with gaps is trained on without the windows that touch one, and their number is shown',
  { host: false },
  async ({ world, session, observer }) => {
    const ui = new Ui(await session.openDashboard());
    const gaps = series(300, (row, [date, value, other]) => [
      date,
      row % 60 === 30 ? '' : value,
      other,
    ]);
    await ui.pickFile(world.write('gaps.csv', gaps));
    const { description } = await observer.until(ready, 'the file to be read');
    assert.equal(description.columns[1].missing, 5);
    await ui.train({ target: 'value', epochs: 2, lookBack: 7, horizon: 1, device: 'cpu' });
    const done = await observer.until((state) => state.phase === 'finished', 'the run', 60);
    assert.ok(done.windows.skipped > 0);
    assert.ok(done.history.epochs.every((epoch) => Number.isFinite(epoch.trainLoss)));
    await ui.waitText('windows', new RegExp(`${done.windows.skipped} left out`));
  },
);

scenario(
  'a picked file that is gone before it is read is named, and the next file works',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    const path = world.write('gone.csv', series(200));
    // The page's message with the File is held until the file has been removed.
    await page.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage;
      globalThis.held = [];
      BroadcastChannel.prototype.postMessage = function (message) {
        if (message?.command?.type !== 'dataset.open') return post.call(this, message);
        globalThis.held.push(() => post.call(this, message));
      };
      globalThis.release = () => {
        BroadcastChannel.prototype.postMessage = post;
        for (const send of globalThis.held) send();
      };
    });
    await ui.pickFile(path);
    await page.waitForFunction(() => globalThis.held.length > 0);
    rmSync(path);
    await page.evaluate(() => globalThis.release());
    await ui.waitNotice(/gone\.csv/);
    await trainsAfterwards({ world, observer, ui });
  },
);

for (const [action, what] of [
  ['truncate', 'is cut short'],
  ['remove', 'is removed'],
]) {
  scenario(
    `a file of the host that ${what} while it is read is named, and the next file works`,
    {
      prepare: (world) => {
        const path = world.write('large.csv', largeSeries(8 << 20));
        world.proxyHost({ after: { type: 'dataset.data', frames: 3 }, do: { [action]: path } });
      },
    },
    async ({ world, observer, page }) => {
      const ui = new Ui(page);
      await ui.pickFromHost(`${world.rootName}/large.csv`);
      await ui.waitNotice(/^dataset\.(changed|vanished): .*large\.csv/);
      const state = await observer.state();
      assert.notEqual(state.phase, 'ready', 'half a file is no data');
      assert.equal(state.host.state, 'connected');
      await trainsAfterwards({ world, observer, ui });
    },
  );
}
