// Training on data that is larger than the memory it may take, in either browser: a file of a modest size and bounds that
// are smaller still, so that every step sees rows of a block that was read from the browser's own storage.
import assert from 'node:assert/strict';
import { noisySeries } from './data.mjs';
import { scenario } from './scenario.mjs';
import { Ui } from './ui.mjs';

const ROWS = 16_000;
/** MiB; a row of these columns takes 20 bytes of a block. */
const SMALL = 0.1;
const EPOCHS = 3;
/** Of rows and MiB, where a block takes so long to load that whoever looks now and then sees it. */
const MANY_ROWS = 600_000;
const LARGE = 4;
const finished = ({ phase }) => phase === 'finished';
const inMemory = { memory: 256, block: 64 };
const inOneBlock = { memory: SMALL, block: 64 };
const inBlocks = { memory: SMALL, block: SMALL };

const configOf = (data, training = {}, model = 'dlinear') => ({
  model: { name: model },
  data: {
    features: ['value', 'other', 'third'],
    target: 'value',
    lookBack: 16,
    horizon: 2,
    ...data,
  },
  training: { epochs: EPOCHS, batchSize: 64, device: 'cpu', ...training },
});

async function ask(observer, command) {
  const reply = await observer.call(command);
  assert.ok(reply.ok, reply.message);
  return reply.result;
}

/** A whole run: its losses, its epochs and what its data took of memory. */
async function run(observer, ...settings) {
  await ask(observer, { type: 'run.start', config: configOf(...settings) });
  const state = await observer.until(finished, 'the run', 120);
  const { dataBytes } = await ask(observer, { type: 'counters.get' });
  const epochs = state.history.epochs.map(({ epoch, trainLoss, validationLoss }) => ({
    epoch,
    trainLoss,
    validationLoss,
  }));
  return { losses: await observer.losses(), epochs, dataBytes, windows: state.windows };
}

export function blockJourneys(browser, title) {
  scenario(
    `${title}: a run from blocks is that of the data in memory where one block holds it, and shows every window once where many do`,
    { browser, host: false, seconds: 400 },
    async ({ world, session, observer }) => {
      const ui = new Ui(await session.openDashboard());
      await ui.pickFile(world.write('noisy.csv', noisySeries(ROWS)));
      await observer.until(({ phase }) => phase === 'ready', 'the import');
      const whole = await run(observer, inMemory);
      const one = await run(observer, inOneBlock);
      assert.deepEqual(one.losses, whole.losses, 'one block gives the same losses, bit for bit');
      assert.deepEqual(one.epochs, whole.epochs);
      assert.deepEqual(one.windows, whole.windows);

      // With weights that stay where they are, an epoch's loss is that of all windows, each of them once.
      const still = {
        optimizer: 'sgd',
        momentum: 0,
        weightDecay: 0,
        learningRate: 1e-8,
        epochs: 2,
      };
      const ofWhole = await run(observer, inMemory, still);
      const ofBlocks = await run(observer, inBlocks, still);
      assert.equal(ofBlocks.windows.train, ofWhole.windows.train);
      assert.equal(ofBlocks.losses.length, ofWhole.losses.length);
      assert.notDeepEqual(ofBlocks.losses, ofWhole.losses);
      for (const [i, { trainLoss }] of ofBlocks.epochs.entries()) {
        const expected = ofWhole.epochs[i].trainLoss;
        const apart = Math.abs(trainLoss / expected - 1);
        assert.ok(apart < 2e-6, `epoch ${i + 1}: ${trainLoss} and ${expected}`);
      }
      const bound = 2 * SMALL * 2 ** 20;
      assert.ok(ofBlocks.dataBytes < bound, `${ofBlocks.dataBytes} of ${bound} bytes`);
      assert.ok(ofWhole.dataBytes > bound, `${ofWhole.dataBytes} bytes in memory`);
    },
  );

  scenario(
    `${title}: a run from blocks goes on from its checkpoint in a fresh browser as if it had not stopped`,
    { browser, host: false, seconds: 300 },
    async ({ world, session, observer }) => {
      const ui = new Ui(await session.openDashboard());
      await ui.pickFile(world.write('noisy.csv', noisySeries(ROWS)));
      const { imports } = await observer.until(({ phase }) => phase === 'ready', 'the import');
      // A model whose steps take their time, and rests between them: there is an epoch's middle to pause in.
      const straight = await run(observer, inBlocks, { epochs: 2 }, 'lstm');
      const slow = configOf(inBlocks, { epochs: 2, effort: 'background' }, 'lstm');
      await ask(observer, { type: 'run.start', config: slow });
      await observer.advance(10, 60);
      await ask(observer, { type: 'run.pause' });
      const paused = await observer.until(({ phase }) => phase === 'paused', 'the pause');
      const { step, stepInEpoch } = paused.progress;
      assert.ok(step > 0 && step < straight.losses.length, `it was paused at step ${step}`);
      const { id, store } = await ask(observer, { type: 'checkpoint.save', store: 'browser' });
      assert.deepEqual(session.problems, []);
      await session.close();

      const again = await session.constructor.launch(world);
      try {
        await again.openDashboard();
        const second = await again.observe();
        const { runs } = await second.until(
          (state) => state.phase === 'empty' && state.imports.length > 0,
          'the worker of the fresh browser',
        );
        assert.ok(runs.length > 0, 'what was saved is listed');
        const source = { kind: 'imported', id: imports[0].id };
        await ask(second, { type: 'dataset.open', source });
        await ask(second, { type: 'checkpoint.resume', store, id });
        await ask(second, { type: 'run.effort', effort: 'full' });
        await second.until(
          finished,
          `the rest after step ${step} (${stepInEpoch} of its epoch)`,
          120,
        );
        assert.deepEqual(await second.losses(), straight.losses);
        assert.deepEqual(again.problems, []);
      } finally {
        await again.close();
      }
    },
  );

  scenario(
    `${title}: while blocks are loaded the worker answers, and a run is stopped`,
    { browser, host: false, seconds: 400 },
    async ({ world, session, observer }) => {
      const ui = new Ui(await session.openDashboard());
      await ui.pickFile(world.write('noisy.csv', noisySeries(MANY_ROWS)));
      await observer.until(({ phase }) => phase === 'ready', 'the import', 90);
      const data = { memory: SMALL, block: LARGE };
      const config = configOf(data, { epochs: 1000, batchSize: 1024 });
      await ask(observer, { type: 'run.start', config });
      const isLoading = ({ phase, preparing, progress }) =>
        phase === 'training' && preparing?.what === 'rows' && progress.step > 0;
      const seen = await observer.until(isLoading, 'a block that is being loaded', 120);
      assert.ok(seen.preparing.total > 0);
      await observer.advance(1, 120);
      await observer.until(isLoading, 'another block', 120);
      await ask(observer, { type: 'run.stop' });
      const { outcome, failure, notices } = await observer.until(finished, 'the end of the run');
      assert.equal(outcome, 'stopped');
      assert.equal(failure, null);
      assert.deepEqual(
        notices.filter(({ level }) => level === 'error'),
        [],
      );
      await ask(observer, { type: 'dataset.close' });
      // Nothing of it is left in the way of the next one.
      await ui.click('import-open');
      await observer.until(({ phase }) => phase === 'ready', 'the imported data');
      await ask(observer, {
        type: 'run.start',
        config: configOf(data, { epochs: 1, batchSize: 1024 }),
      });
      await observer.until(finished, 'the next run', 120);
    },
  );
}
