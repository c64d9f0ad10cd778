// The native host fails while it is needed. Training keeps its state, nothing half written is offered, and a sentence
// says what happened and what to do.
import assert from 'node:assert/strict';
import { filesBelow } from '../lib/files.mjs';
import { series } from '../lib/data.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const training = (state) => state.phase === 'training' && state.progress.step > 0;
const writeData = (world) => world.write('waves.csv', series(400));

async function startRun({ world, observer, page }) {
  const ui = new Ui(page);
  await ui.pickFromHost(`${world.rootName}/waves.csv`);
  await ui.train({ target: 'value', epochs: 2000, lookBack: 14, horizon: 1, device: 'cpu' });
  await observer.until(training, 'the first steps');
  return ui;
}

scenario(
  'the host is killed mid-run: training goes on, a notice says so, and the checkpoint is kept in the browser',
  { prepare: writeData },
  async ({ world, observer, page }) => {
    const ui = await startRun({ world, observer, page });
    const pids = world.hostProcesses();
    assert.equal(pids.length, 1, 'one host runs');
    // No new one can be started either.
    world.wrapHost(['exit 1']);
    process.kill(pids[0], 'SIGKILL');
    const state = await observer.until((one) => one.host.state !== 'connected', 'the notice');
    assert.match(state.phase, /^(training|validating)$/); // an epoch may just be ending
    await ui.waitNotice(/host/i);
    await observer.advance(50);
    await ui.click('save');
    const saved = await observer.until((one) => one.checkpoints.length > 0, 'a checkpoint');
    assert.equal(saved.checkpoints[0].store, 'browser');
    assert.ok(saved.checkpoints[0].ok);
    await observer.advance(20);
  },
);

scenario(
  'a full disk at save is named with the folder: no partial checkpoint is offered and training goes on',
  {
    prepare: (world) => {
      writeData(world);
      // No file may grow beyond 4 KiB: what a full disk does to a write, without the rights to mount one.
      world.wrapHost(['ulimit -f 4', 'exec "$@"']);
    },
  },
  async ({ world, observer, page }) => {
    const ui = await startRun({ world, observer, page });
    await ui.click('save');
    const notice = await ui.waitNotice(/^store\.disk_full/);
    assert.match(notice, /room|full|space/i);
    const state = await observer.state();
    assert.deepEqual(filesBelow(world.home, '.safetensors'), []);
    assert.deepEqual(
      state.checkpoints.filter((entry) => entry.store === 'host'),
      [],
    );
    await observer.advance(50);
  },
);

for (const [update, plan] of [
  ['host', { hello: { min: 1000, max: 1000 } }],
  ['extension', { unsupported: { min: 1000, max: 1000 } }],
]) {
  scenario(
    `no common protocol version: the page says that the ${update} must be updated, and works without it`,
    { prepare: (world) => world.proxyHost(plan) },
    async ({ world, observer, page }) => {
      const ui = new Ui(page);
      const wrong = (state) => state.host.state === 'incompatible';
      // Once the page shows something there is a worker that hears the call.
      await ui.wait('drop-zone');
      await observer.call({ type: 'host.connect' });
      const state = await observer.until(wrong, 'the answer to hello');
      assert.match(state.host.message, new RegExp(`update[^.]*${update}`, 'i'));
      await ui.waitText('host-state', /update/i);
      await ui.pickFile(world.write('waves.csv', series(200)));
      await observer.until((one) => one.phase === 'ready', 'the file to be read without the host');
    },
  );
}
