// The GPU's process dies under a run: the lost steps are run again, no loss is reported twice or missing, and the curve is
// the one of a run that nothing disturbed. When it dies again soon, the processor takes over and the page says so.
import assert from 'node:assert/strict';
import { series } from '../lib/data.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const RUN = { target: 'value', epochs: 3, lookBack: 12, horizon: 2, device: 'webgl' };
const finished = (state) => state.phase === 'finished';
/** Chromium itself logs that a context was lost, and blocks new ones for a while when they are lost too often. */
const allowed = [/WebGL/i, /CONTEXT_LOST/i];

async function crashGpu(session) {
  const connection = await session.browser.target().createCDPSession();
  await connection.send('Browser.crashGpuProcess').catch(() => {});
  await connection.detach().catch(() => {});
}

/**
 * A run, with the GPU's process killed once each of the given steps is reached, and the death before has been noticed:
 * two at once are one loss. Its losses and last state.
 */
async function run({ session, observer, ui }, crashes) {
  await ui.train(RUN);
  for (const step of crashes) {
    await observer.until((state) => (state.progress?.step ?? 0) >= step, `step ${step}`, 60);
    await crashGpu(session);
    const noticed = (state) => /device\./.test(noticesOf(state)) || finished(state);
    await observer.until(noticed, 'the loss to be noticed', 60);
  }
  const state = await observer.until(finished, 'the end of the run', 90);
  return { state, losses: await observer.losses() };
}

const noticesOf = (state) => state.notices.map(({ code }) => code).join(' ');

function assertSameCurve(disturbed, whole) {
  assert.deepEqual(
    disturbed.map(([step]) => step),
    whole.map(([step]) => step),
    'every step once, in order',
  );
  disturbed.forEach(([step, loss], i) => {
    const difference = Math.abs(loss - whole[i][1]);
    assert.ok(difference <= 1e-4 * Math.max(1, loss), `step ${step} differs by ${difference}`);
  });
}

scenario(
  'a GPU process that dies once costs a run nothing but the steps that are run again',
  { host: false, allowed, seconds: 240 },
  async ({ world, session, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(400)));
    const whole = await run({ session, observer, ui }, []);
    assert.equal(whole.state.device, 'webgl');
    await ui.click('new-run');
    const disturbed = await run({ session, observer, ui }, [10]);
    assertSameCurve(disturbed.losses, whole.losses);
    // Chromium may refuse a new context after a crash: then the processor has taken over at once.
    assert.match(noticesOf(disturbed.state), /device\.(lost|taken_over)/);
  },
);

scenario(
  'when the GPU process dies twice the processor takes over, and the page says so',
  { host: false, allowed, seconds: 240 },
  async ({ world, session, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(400)));
    const whole = await run({ session, observer, ui }, []);
    await ui.click('new-run');
    const disturbed = await run({ session, observer, ui }, [5, 12]);
    assertSameCurve(disturbed.losses, whole.losses);
    assert.equal(disturbed.state.device, 'cpu');
    assert.match(noticesOf(disturbed.state), /device\.taken_over/);
    assert.match(await page.evaluate(() => document.body.innerText), /processor has taken over/);
  },
);
