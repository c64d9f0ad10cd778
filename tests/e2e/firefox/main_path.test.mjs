// The same straight path in Firefox: the file is picked in the dashboard, the event page's worker trains, checkpoints go
// through the host or, without it, to the browser's own storage.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readCheckpoint } from '../../golden/safetensors.mjs';
import { series } from '../lib/data.mjs';
import { filesBelow } from '../lib/files.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const RUN = { target: 'value', epochs: 2, lookBack: 14, horizon: 1, device: 'cpu' };
const LONG = { ...RUN, epochs: 2000 };
const finished = (state) => state.phase === 'finished';

scenario(
  'Firefox: a file picked in the dashboard is trained on, and the checkpoint is kept in the browser',
  { browser: 'firefox', host: false },
  async ({ world, session, observer, page }) => {
    const popup = new Ui(page);
    await popup.wait('pick-in-dashboard');
    assert.ok(!(await popup.visible('file-input')), 'a popup would close under the file chooser');
    const dashboard = new Ui(await session.openDashboard());
    await dashboard.pickFile(world.write('waves.csv', series(300)));
    await observer.until((state) => state.phase === 'ready', 'the file to be read');
    await dashboard.train(RUN);
    const done = await observer.until(finished, 'the run', 60);
    assert.equal(done.device, 'cpu');
    assert.ok(done.history.epochs[1].trainLoss < done.history.epochs[0].trainLoss);
    await dashboard.click('save');
    const saved = await observer.until((state) => state.checkpoints.length > 0, 'a checkpoint');
    const { store, id } = saved.checkpoints[0];
    assert.equal(store, 'browser');
    const reply = await observer.call({ type: 'checkpoint.resume', store, id, epochs: 1 });
    assert.ok(reply.ok, reply.message);
    await observer.until(
      (state) => finished(state) && state.progress.epoch === 3,
      'one epoch more',
    );
  },
);

scenario(
  'Firefox: a file of the native host is trained on and the checkpoint is saved through it',
  { browser: 'firefox', prepare: (world) => world.write('waves.csv', series(300)) },
  async ({ world, session, observer }) => {
    const dashboard = new Ui(await session.openDashboard());
    await dashboard.pickFromHost(`${world.rootName}/waves.csv`);
    const ready = await observer.until((state) => state.phase === 'ready', 'the file to be read');
    assert.ok(ready.host.frames > 0);
    await dashboard.train(RUN);
    await observer.until(finished, 'the run', 60);
    await dashboard.click('save');
    const saved = await observer.until((state) => state.checkpoints.length > 0, 'a checkpoint');
    assert.equal(saved.checkpoints[0].store, 'host');
    const [path] = filesBelow(world.home, saved.checkpoints[0].id);
    assert.equal(readCheckpoint(readFileSync(path)).metadata.format, 'shadegrad/2');
  },
);

scenario(
  'Firefox: training goes on when every page of the extension but the observer is closed',
  { browser: 'firefox', host: false },
  async ({ world, session, observer, page }) => {
    const dashboard = new Ui(await session.openDashboard());
    await dashboard.pickFile(world.write('waves.csv', series(300)));
    await dashboard.train(LONG);
    await observer.until((state) => state.progress?.step > 0, 'the first steps');
    await page.close();
    await dashboard.page.close();
    await observer.advance(50);
    const popup = new Ui(await session.openPopup());
    await popup.click('stop');
    await observer.until(finished, 'the stop');
  },
);

scenario(
  'Firefox: the webgl device trains with the same losses as the cpu device',
  { browser: 'firefox', host: false },
  async ({ world, session, observer }) => {
    const dashboard = new Ui(await session.openDashboard());
    await dashboard.pickFile(world.write('waves.csv', series(300)));
    const losses = {};
    for (const device of ['cpu', 'webgl']) {
      await dashboard.train({ ...RUN, epochs: 1, device });
      const ended = (state) => finished(state) && state.device === device;
      await observer.until(ended, `the run on ${device}`, 60);
      losses[device] = await observer.losses();
      const { threads, fused } = (await observer.call({ type: 'counters.get' })).result;
      assert.deepEqual({ threads, fused }, { threads: 1, fused: true }, 'Firefox shares no memory');
      await dashboard.click('new-run');
    }
    assert.ok(losses.cpu.length > 0 && losses.cpu.length === losses.webgl.length);
    losses.cpu.forEach(([step, loss], i) => {
      const difference = Math.abs(loss - losses.webgl[i][1]);
      assert.ok(difference <= 1e-4, `step ${step}: the losses differ by ${difference}`);
    });
  },
);

scenario(
  'Firefox: an empty file is refused by name in the dashboard',
  { browser: 'firefox', host: false },
  async ({ world, session }) => {
    const dashboard = new Ui(await session.openDashboard());
    await dashboard.pickFile(world.write('nothing.csv', ''));
    assert.match(await dashboard.waitNotice(/nothing\.csv/), /empty/i);
  },
);
