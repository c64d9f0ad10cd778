// A run's checkpoints through the host: thinned out as its settings say, named, and carried to another home, where the
// run goes on.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckpoint } from '../../golden/safetensors.mjs';
import { ChromiumSession } from '../lib/chromium.mjs';
import { series } from '../lib/data.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';
import { World } from '../lib/world.mjs';

const EPOCHS = 6;
const store = (world) => join(world.home, 'Shadegrad/checkpoints');
const training = { epochs: EPOCHS, saveSeconds: 0, saveEvery: 1, keepLast: 2, keepEvery: 0 };
const config = {
  model: { name: 'lstm', hidden: 8 },
  data: { features: ['value', 'other'], target: 'value', lookBack: 14, horizon: 1 },
  training: { ...training, device: 'cpu', batchSize: 4 },
};

/** Another browser in another home, into which a run's folder was copied by hand. */
async function elsewhere(world, run, body) {
  const other = new World();
  try {
    other.installHost();
    mkdirSync(store(other), { recursive: true });
    cpSync(join(store(world), run), join(store(other), run), { recursive: true });
    other.write('waves.csv', series(400));
    const session = await ChromiumSession.launch(other);
    try {
      const page = await session.openPopup();
      await body({ other, page, observer: await session.observe() });
    } finally {
      await session.close();
    }
  } finally {
    other.close();
  }
}

scenario(
  'the best and the last checkpoints of a run are kept, and its folder goes on in another home',
  { seconds: 240, prepare: (world) => world.write('waves.csv', series(400)) },
  async ({ world, observer, page }) => {
    await new Ui(page).pickFromHost(`${world.rootName}/waves.csv`);
    await observer.until((state) => state.phase === 'ready', 'the file to be read');
    const started = await observer.call({ type: 'run.start', config });
    assert.ok(started.ok, started.message);
    const done = (state) =>
      state.phase === 'finished' &&
      state.checkpoints.some(({ id }) => id === state.lastRun?.checkpoint.id) &&
      state.lastRun.epoch === EPOCHS &&
      state.checkpoints.length <= 3;
    const { checkpoints, history, progress } = await observer.until(done, 'the last save', 120);

    const [run, ...others] = readdirSync(store(world));
    assert.deepEqual(others, [], 'one folder for one run');
    const files = readdirSync(join(store(world), run));
    assert.deepEqual(files.sort(), checkpoints.map(({ id }) => id.slice(run.length + 1)).sort());
    assert.ok(files.includes(`auto-${progress.step}.safetensors`));
    const losses = checkpoints.map(({ loss }) => loss);
    const saved = history.epochs.filter(({ epoch }) => checkpoints.some((c) => c.epoch === epoch));
    assert.equal(Math.min(...losses), Math.min(...saved.map(({ validationLoss: loss }) => loss)));
    for (const file of files) readCheckpoint(readFileSync(join(store(world), run, file)));

    const words = { store: 'host', run, name: 'Waves', note: 'two of them' };
    const described = await observer.call({ type: 'run.describe', ...words });
    assert.ok(described.ok, described.message);

    await elsewhere(world, run, async ({ other, page: there, observer: seen }) => {
      const listed = await seen.until((state) => state.checkpoints.length > 0, 'the copied run');
      assert.deepEqual(listed.runs, [{ ...words, reason: null }]);
      assert.equal(listed.checkpoints.length, checkpoints.length);
      const { id } = listed.checkpoints.find(({ epoch }) => epoch === EPOCHS);
      const resume = { type: 'checkpoint.resume', store: 'host', id, epochs: 1 };
      const asked = await seen.call(resume);
      assert.equal(asked.code, 'dataset.missing');
      assert.match(asked.message, /was trained on "waves\.csv" \(400 rows/);
      await new Ui(there).pickFromHost(`${other.rootName}/waves.csv`);
      await seen.until((state) => state.phase === 'ready', 'the same data');
      const resumed = await seen.call(resume);
      assert.ok(resumed.ok, resumed.message);
      const ended = await seen.until(
        (state) => state.phase === 'finished' && state.lastRun?.epoch === EPOCHS + 1,
        'one more epoch',
        60,
      );
      assert.equal(ended.progress.step, (progress.step / EPOCHS) * (EPOCHS + 1));
      assert.equal(ended.history.epochs.length, EPOCHS + 1);
      assert.deepEqual(
        ended.notices.filter(({ code }) => code === 'checkpoint.data'),
        [],
      );
      assert.deepEqual(readdirSync(store(other)), [run]);
    });
  },
);
