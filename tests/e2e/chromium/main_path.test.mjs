// The main job from a file to a saved checkpoint and back: through the native host, and without it.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckpoint } from '../../golden/safetensors.mjs';
import { series } from '../lib/data.mjs';
import { filesBelow, waitForFile } from '../lib/files.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const finished = (state) => state.phase === 'finished';
const RUN = { target: 'value', epochs: 3, lookBack: 14, horizon: 2, device: 'cpu' };

scenario(
  'a file of the native host is picked, trained on, saved through the host and resumed',
  { prepare: (world) => world.write('daily/waves.csv', series(400)) },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFromHost(`${world.rootName}/daily/waves.csv`);
    const ready = await observer.until((state) => state.phase === 'ready', 'the file to be read');
    assert.equal(ready.source.kind, 'host');
    assert.equal(ready.description.rows, 400);
    assert.deepEqual(
      ready.description.columns.map(({ name, type }) => `${name}:${type}`),
      ['date:datetime', 'value:number', 'other:number'],
    );
    assert.ok(ready.host.frames > 0, 'the bytes came in frames of the host');
    assert.equal(ready.host.bytes, readFileSync(join(world.granted, 'daily/waves.csv')).length);

    await ui.train(RUN);
    const done = await observer.until(finished, 'the run to finish', 60);
    const { stepsPerEpoch } = done.progress;
    assert.equal(done.progress.step, 3 * stepsPerEpoch);
    const [first, , last] = done.history.epochs;
    assert.ok(last.trainLoss < first.trainLoss, 'the training loss fell');
    assert.ok(last.validationLoss < done.baselines.naive, 'it beats repeating the last value');
    await ui.waitText('verdict', /\w/);

    await ui.click('save');
    const saved = await observer.until((state) => state.checkpoints.length > 0, 'a checkpoint');
    const [entry] = saved.checkpoints;
    assert.equal(entry.store, 'host');
    const [path] = filesBelow(world.home, entry.id);
    const { tensors, metadata } = readCheckpoint(readFileSync(path));
    assert.equal(metadata.format, 'shadegrad/2');
    assert.ok('lstm.weight_ih_l0' in tensors && 'optimizer.exp_avg.lstm.weight_ih_l0' in tensors);

    const reply = await observer.call({
      type: 'checkpoint.resume',
      store: 'host',
      id: entry.id,
      epochs: 1,
    });
    assert.ok(reply.ok, reply.message);
    const resumed = await observer.until(
      (state) => finished(state) && state.progress.epoch === 4,
      'the resumed epoch',
    );
    assert.equal(resumed.progress.step, 4 * stepsPerEpoch);
    assert.ok(resumed.history.epochs.at(-1).trainLoss < first.trainLoss, 'the loss goes on');
  },
);

scenario(
  'without the host a picked file is trained on, and its checkpoint is kept here and downloaded',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    const hint = await ui.waitText('host-state', /\w/);
    assert.match(hint, /^No native host is installed\. Installing it adds /);
    await ui.pickFile(world.write('waves.csv', series(400)));
    const ready = await observer.until((state) => state.phase === 'ready', 'the file to be read');
    assert.equal(ready.source.kind, 'file');
    assert.equal(ready.host.frames, 0);
    await ui.train(RUN);
    await observer.until(finished, 'the run to finish', 60);

    await ui.click('save');
    const saved = await observer.until((state) => state.checkpoints.length > 0, 'a checkpoint');
    assert.equal(saved.checkpoints[0].store, 'browser');
    // Until the page has heard of it too, it is still saving and its buttons are off.
    await ui.waitNotice(/^checkpoint\.saved: /);
    await ui.click('download');
    const file = await waitForFile(world.downloads, '.safetensors');
    assert.equal(readCheckpoint(readFileSync(file)).metadata.format, 'shadegrad/2');
    assert.deepEqual(readdirSync(world.granted, { recursive: true }), ['waves.csv']);
  },
);

scenario('the packaged example is one click away', { host: false }, async ({ observer, page }) => {
  const ui = new Ui(page);
  await ui.click('example-open');
  const ready = await observer.until((state) => state.phase === 'ready', 'the example');
  assert.equal(ready.source.kind, 'example');
  assert.equal(ready.description.rows, 1461);
  assert.equal(ready.description.repairCount, 0);
});

scenario(
  'the webgl device trains with the same losses as the cpu device',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(400)));
    const losses = {};
    for (const device of ['cpu', 'webgl']) {
      await ui.train({ ...RUN, epochs: 2, device });
      const ended = (state) => finished(state) && state.device === device;
      await observer.until(ended, `the run on ${device}`, 60);
      losses[device] = await observer.losses();
      const counters = await observer.call({ type: 'counters.get' });
      assert.equal(counters.result.draws > 0, device === 'webgl');
      const processors = await page.evaluate(() => navigator.hardwareConcurrency);
      assert.equal(counters.result.threads, Math.min(8, processors));
      assert.ok(counters.result.fused);
      await ui.click('new-run');
    }
    assert.ok(losses.cpu.length >= 20, `${losses.cpu.length} steps`);
    assert.deepEqual(
      losses.webgl.map(([step]) => step),
      losses.cpu.map(([step]) => step),
    );
    losses.cpu.slice(0, 20).forEach(([step, loss], i) => {
      const difference = Math.abs(loss - losses.webgl[i][1]);
      assert.ok(difference <= 1e-4, `step ${step}: the losses differ by ${difference}`);
    });
  },
);

scenario(
  'a resumed run on the cpu is equal, loss by loss, to one that never stopped',
  { host: false },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(400)));
    await ui.train(RUN);
    await observer.until(finished, 'the whole run', 60);
    const whole = await observer.losses();
    await ui.click('new-run');

    await ui.train({ ...RUN, epochs: 2 });
    const half = await observer.until(finished, 'two thirds of the run', 60);
    // Those that were kept by themselves, of both runs, are there too; while one is being saved the button rests.
    const { step } = half.progress;
    await observer.until(
      ({ checkpoints }) => checkpoints.some((entry) => entry.step === step),
      'the checkpoint at the end',
    );
    await ui.click('save');
    const asked = (entry) => entry.step === step && /\/step-\d+\.safetensors$/.test(entry.id);
    const saved = await observer.until((state) => state.checkpoints.some(asked), 'a checkpoint');
    const { store, id } = saved.checkpoints.find(asked);
    const reply = await observer.call({ type: 'checkpoint.resume', store, id, epochs: 1 });
    assert.ok(reply.ok, reply.message);
    await observer.until((state) => finished(state) && state.progress.epoch === 3, 'the rest', 60);
    assert.deepEqual(await observer.losses(), whole);
    assert.ok(half.progress.step < whole.length);
  },
);
