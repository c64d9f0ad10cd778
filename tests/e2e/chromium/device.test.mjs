// Which device trains a run, as a person sees it: the choice and its reason, a device that is forced, how hard it works;
// and the race itself in a real browser, where a fence signals only between tasks.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { series } from '../lib/data.mjs';
import { PlainBrowser } from '../lib/plain_page.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';
import { BUILD } from '../lib/world.mjs';

const RUN = { target: 'value', epochs: 2, lookBack: 14, horizon: 2 };
const finished = (state) => state.phase === 'finished';

scenario(
  'a run that is left to choose trains on the processor beside a software renderer, and says so',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(400)));
    await ui.train({ ...RUN, device: 'auto' });
    const state = await observer.until(finished, 'the end of the run', 60);
    assert.equal(state.device, 'cpu');
    assert.equal(state.choice.how, 'software');
    assert.match(state.choice.detail, /swiftshader/i);
    assert.equal(state.choice.webgl, null, 'it was not raced');
    assert.equal(await ui.text('device'), 'Processor');
    assert.match(await ui.text('device-reason'), /emulated, which is slower \(.*swiftshader/i);
    assert.match(await ui.text('memory'), /^Memory: \d/);
    await ui.click('new-run');
    assert.deepEqual(await ui.enabledOptions('device-choice'), ['auto', 'cpu', 'webgl']);
    await ui.train({ ...RUN, device: 'webgl' });
    const forced = await observer.until(
      (next) => finished(next) && next.device === 'webgl',
      'the run on webgl',
      60,
    );
    assert.equal(forced.choice.how, 'forced');
    assert.match(await ui.text('device-reason'), /as you chose/);
  },
);

scenario(
  'a run that is told to work in the background goes on with the same losses, at a slower pace',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(400)));
    await ui.train({ ...RUN, device: 'cpu', seed: 3 });
    await observer.until(finished, 'the first run', 60);
    const { epochs } = (await observer.state()).history;
    await ui.click('new-run');
    await ui.train({ ...RUN, epochs: 2000, device: 'cpu', seed: 3 });
    await observer.advance(1);
    await ui.select('run-effort', 'background');
    const polite = await observer.until(
      (state) => state.config?.training.effort === 'background',
      'the effort to be changed',
    );
    assert.equal(polite.phase === 'training' || polite.phase === 'validating', true);
    const twoEpochs = ({ history }) => history.epochs.length >= 2;
    const { history } = await observer.until(twoEpochs, 'two epochs', 60);
    const lossesOf = ({ trainLoss, validationLoss }) => [trainLoss, validationLoss];
    assert.deepEqual(history.epochs.slice(0, 2).map(lossesOf), epochs.map(lossesOf));
    await ui.click('stop');
    const { outcome } = await observer.until(finished, 'the end', 30);
    assert.equal(outcome, 'stopped');
  },
);

test('the race in Chromium', { timeout: 120_000 }, async (t) => {
  const folders = [join(BUILD, 'wasm/wasm'), new URL('../lib', import.meta.url).pathname];
  const browser = await PlainBrowser.launch('chromium', folders);
  try {
    const [report] = await browser.run('race_worker.mjs', {
      renderer: 'A card of another name',
      csv: series(400),
      config: {
        model: { name: 'mlp', hidden: 8 },
        data: { features: ['value', 'other'], target: 'value', lookBack: 7, horizon: 1 },
        training: { batchSize: 8, device: 'auto' },
      },
      steps: 12,
    });
    const { choice, turns, longest, racing, step, raced, forced } = report;
    await t.test('is decided by measured steps of both devices, turn by turn', () => {
      assert.equal(typeof racing, 'number');
      assert.equal(choice.how, 'raced');
      assert.equal(choice.detail, 'A card of another name');
      assert.ok(choice.cpu.steps > 0 && choice.cpu.ms > 0, JSON.stringify(choice));
      // A software renderer on a busy machine may not come to two steps, but it has had its time.
      assert.ok(choice.webgl.steps > 0 || choice.webgl.preparingMs > 400, JSON.stringify(choice));
      assert.ok(turns > 10, `${turns} turns, the longest of ${longest} ms`);
    });
    await t.test('leaves nothing of it behind: the run starts as one that is forced', () => {
      assert.equal(step, 0);
      assert.equal(raced.length, 12);
      assert.deepEqual(raced, forced);
    });
  } finally {
    await browser.close();
  }
});
