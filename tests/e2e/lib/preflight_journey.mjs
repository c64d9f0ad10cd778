// Before Train: the proposal stands with its reason, a trial has measured real steps of the run, and Train does not wait
// for a trial that is under way.
import assert from 'node:assert/strict';
import { series } from './data.mjs';
import { scenario } from './scenario.mjs';
import { Ui } from './ui.mjs';

const outcomes = (state) => state.trials.map(({ outcome }) => outcome);

export function preflight(name, browser) {
  scenario(name, { browser, host: false, seconds: 120 }, async ({ world, session, observer }) => {
    const ui = new Ui(await session.openDashboard());
    await ui.pickFile(world.write('waves.csv', series(1500)));
    await ui.waitText('proposal', /^Proposed: LSTM, Medium\. It reads the last 30 rows/);
    const said = await ui.waitText('trial', /^Measured: /, 60);
    assert.match(said, /an epoch, about .+ in all; at most .+ of memory/);
    const tried = await observer.state();
    const [{ measured }] = tried.trials.slice(-1);
    assert.ok(measured.steps >= 3 && measured.step > 0, JSON.stringify(measured));
    assert.deepEqual([tried.phase, tried.run, tried.checkpoints], ['ready', null, []]);

    // Of the core's own memory there is less than a batch of this needs.
    const huge = {
      model: { name: 'lstm', hidden: 1024, layers: 4 },
      data: { features: ['value'], target: 'value', lookBack: 500, horizon: 1 },
      training: { batchSize: 4096, device: 'cpu' },
    };
    const { result: none } = await observer.call({ type: 'run.trial', config: huge });
    assert.equal(none.outcome, 'unfit', JSON.stringify(none));
    const refused = await observer.call({ type: 'run.start', config: huge });
    assert.equal(refused.code, 'run.unfit');

    // Pressed in the midst of another trial.
    await ui.fill('epochs', 2);
    await ui.fill('look-back', 20);
    await ui.waitText('trial', /^A few steps are tried/);
    await ui.click('train');
    const done = await observer.until(({ phase }) => phase === 'finished', 'the run', 60);
    assert.equal(done.outcome, 'completed');
    assert.equal(done.config.data.lookBack, 20);
    assert.ok(!outcomes(done).includes('measuring'), 'no trial goes on beside a run');
    assert.equal(done.device, measured.device, 'the trial was on the device of the run');
    const most = Math.max(measured.peakBytes, done.progress.peakBytes);
    const least = Math.min(measured.peakBytes, done.progress.peakBytes);
    assert.ok(
      most < 4 * least,
      `trial ${measured.peakBytes} bytes, run ${done.progress.peakBytes}`,
    );
  });
}
