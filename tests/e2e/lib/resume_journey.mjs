// The browser dies in the middle of a run and is started again with the same profile: the run is offered, one click goes
// on with it, and every loss is that of a run that was never cut off.
import assert from 'node:assert/strict';
import { series } from './data.mjs';
import { scenario } from './scenario.mjs';
import { Ui } from './ui.mjs';

const config = (training) => ({
  model: { name: 'lstm', hidden: 48 },
  data: { features: ['value'], target: 'value', lookBack: 14, horizon: 1 },
  training: { epochs: 150, device: 'cpu', seed: 7, saveEvery: 1, saveSeconds: 0, ...training },
});
const finished = (state) => state.phase === 'finished';

async function start(observer, training) {
  const reply = await observer.call({ type: 'run.start', config: config(training) });
  assert.ok(reply.ok, reply.message);
}

/** `atRest(session, page)` may look at the browser before any page that opens the training is there. */
export function resumeAfterKill(name, browser, atRest = async () => {}) {
  scenario(name, { browser, host: false, seconds: 180 }, async ({ world, session, observer }) => {
    const dashboard = new Ui(await session.openDashboard());
    await dashboard.pickFile(world.write('waves.csv', series(400)));
    await observer.until((state) => state.phase === 'ready', 'the file to be read');
    await start(observer, {});
    await observer.until(finished, 'the undisturbed run', 60);
    const whole = await observer.losses();

    await start(observer, { effort: 'background' });
    const saved = ({ phase, lastRun, run, progress }) =>
      phase === 'training' &&
      lastRun?.checkpoint.id.startsWith(`${run}/`) &&
      lastRun.step >= 100 &&
      progress.step > lastRun.step;
    const before = await observer.until(saved, 'steps after a checkpoint of its own', 60);
    await session.kill();

    const again = await session.relaunch();
    try {
      const watch = await again.observe();
      await atRest(again, watch.page);
      const popup = new Ui(await again.openPopup());
      await popup.wait('last-run-resume');
      const { lastRun } = await watch.state();
      assert.ok(lastRun.interrupted, 'it says that the run was under way');
      assert.ok(lastRun.step >= before.lastRun.step, `${lastRun.step}, ${before.lastRun.step}`);
      await popup.click('last-run-resume');
      const resumed = await watch.until(({ progress }) => progress !== null, 'the run to go on');
      assert.ok(
        resumed.progress.step >= lastRun.step,
        'no step before the checkpoint is made again',
      );
      assert.equal(resumed.run, before.run, 'it is the same run');
      await watch.call({ type: 'run.effort', effort: 'full' });
      const done = await watch.until(finished, 'the rest of the run', 60);
      assert.equal(done.outcome, 'completed');
      assert.deepEqual(await watch.losses(), whole);
      await watch.until(({ lastRun: last }) => !last.interrupted, 'that it waits no longer');
      assert.deepEqual(again.problems, []);
    } finally {
      await again.close();
    }
  });
}
