// While a run is under way its pages answer at once: no task of their main thread, which they share, takes more than 50 ms
// of processor time, with every chart and table open.
import assert from 'node:assert/strict';
import { series } from '../lib/data.mjs';
import { watchMainThread } from '../lib/main_thread.mjs';
import { SCENES, showScene } from '../lib/scenes.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const MOST_MS = 50;
const WATCHED_MS = 6000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function judge(what, { tasks, longTasks }) {
  const [longest] = tasks;
  const list = longest.what().join('; ');
  const told = `${what}: of ${tasks.length} tasks the longest took ${longest.cpu.toFixed(1)} ms of processor time, ${longest.wall.toFixed(1)} ms in all (${list}); long tasks by duration: ${longTasks.map(Math.round)}`;
  process.stderr.write(`${told}\n`);
  assert.ok(tasks.length > 100, told);
  assert.ok(longest.cpu <= MOST_MS, told);
}

const openAll = (page) =>
  page.$$eval('details', (all) => all.forEach((details) => details.setAttribute('open', '')));

scenario(
  'no task of the dashboard takes 50 ms while a model is trained, with all charts and tables open',
  { host: false, seconds: 180 },
  async ({ world, session, observer, page: popup }) => {
    const page = await session.openDashboard();
    await popup.close();
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(3000)));
    await ui.wait('train');
    await ui.train({ target: 'value', epochs: 100_000, lookBack: 7, horizon: 2, device: 'cpu' });
    await observer.until(({ progress }) => (progress?.step ?? 0) > 10_000, '10,000 steps', 100);
    await page.bringToFront();
    await openAll(page);
    const watched = await watchMainThread(page, () => pause(WATCHED_MS));
    const { phase, history } = await observer.state();
    assert.ok(phase === 'training' || phase === 'validating', phase);
    assert.ok(history.steps.length >= 1000, `${history.steps.length} points are drawn`);
    judge('training', watched);
  },
);

scenario(
  'nor with more points than a worker keeps',
  { host: false, seconds: 120 },
  async ({ session, observer }) => {
    const training = SCENES.find(({ name, page }) => name === 'training' && page === 'dashboard');
    const { progress } = training.state;
    const page = await showScene(session, observer, { ...training, points: 12_000 }, (one) =>
      one.setViewport({ width: 1600, height: 1000 }),
    );
    await page.waitForSelector('canvas[data-testid=loss-chart][data-points]');
    await openAll(page);
    const watched = await watchMainThread(page, async () => {
      for (let i = 1; i <= 40; i += 1) {
        const event = {
          kind: 'event',
          type: 'train.progress',
          progress: { ...progress, step: 12_000 + i },
          losses: [[12_000 + i, 0.15]],
        };
        await observer.page.evaluate((one) => {
          globalThis.shown += 1;
          const channel = new BroadcastChannel('shadegrad');
          channel.postMessage({ ...one, revision: globalThis.shown });
          channel.close();
        }, event);
        await pause(80);
      }
    });
    judge('12,000 points', watched);
  },
);
