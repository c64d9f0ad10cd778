// What a person does around a run: closing and reopening the popup, opening more pages, pausing, stopping; and what the
// browser does, ending its idle service worker. Training must not notice.
import assert from 'node:assert/strict';
import { series } from '../lib/data.mjs';
import { waitUntil } from '../lib/files.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const LONG = { target: 'value', epochs: 100_000, lookBack: 14, horizon: 1, device: 'cpu' };
const training = (state) => state.phase === 'training';

async function startLongRun({ world, observer, page }) {
  const ui = new Ui(page);
  await ui.pickFile(world.write('waves.csv', series(400)));
  await ui.train(LONG);
  await observer.until((state) => training(state) && state.progress.step > 0, 'the first steps');
  return ui;
}

scenario(
  'the popup is closed and reopened, and training goes on all the while',
  { host: false },
  async ({ session, ...rest }) => {
    const { observer, page } = rest;
    await startLongRun(rest);
    await page.close();
    await observer.advance(50);

    const popup = await session.openRealPopup();
    const ui = new Ui(popup, { tab: false });
    await ui.wait('pause');
    const shown = Number((await ui.waitText('step', /\d/)).replace(/\D/g, ''));
    assert.ok(shown > 50, `the reopened popup shows step ${shown}`);
    await session.closePopup(popup);
    await observer.advance(50);

    const again = new Ui(await session.openRealPopup(), { tab: false });
    await again.click('stop');
    const stopped = await observer.until((state) => state.phase === 'finished', 'the run to stop');
    assert.equal(stopped.outcome, 'stopped');
  },
);

scenario(
  'a second popup, a tab and a window attach to the one run and cannot start another',
  { host: false },
  async ({ session, ...rest }) => {
    const { observer } = rest;
    await startLongRun(rest);
    const { config } = await observer.state();
    // One after the other: a popup closes when another page comes to the front.
    for (const open of [
      () => session.openRealPopup(),
      () => session.openDashboard(),
      () => session.openWindow('popup.html'),
    ]) {
      const ui = new Ui(await open(), { tab: false });
      await ui.waitText('step', /\d/);
      assert.ok(await ui.visible('pause'), 'it shows the run');
      assert.ok(!(await ui.visible('train')), 'it offers no second one');
    }
    const refused = await observer.call({ type: 'run.start', config });
    assert.equal(refused.ok, false);
    assert.match(refused.code, /^run\./);
    assert.match(refused.message, /run/i);
    const opened = await observer.call({
      type: 'dataset.open',
      source: { kind: 'example', name: 'seattle-weather.csv' },
    });
    assert.equal(opened.ok, false, 'nor is the data taken away under a run');
    assert.match(opened.code, /^run\./);
    await observer.advance(20);
  },
);

scenario(
  'steps go on with another tab in front and with no page open at all',
  { host: false },
  async ({ session, ...rest }) => {
    const { observer, page } = rest;
    await startLongRun(rest);
    const other = await session.browser.newPage();
    await other.goto('about:blank');
    await other.bringToFront();
    await observer.advance(50);
    await page.close();
    await observer.advance(50);
  },
);

scenario(
  'a run is paused, resumed and stopped, and its state stays on the page',
  { host: false },
  async (rest) => {
    const { observer } = rest;
    const ui = await startLongRun(rest);
    await ui.click('pause');
    const paused = await observer.until((state) => state.phase === 'paused', 'the pause');
    await ui.wait('resume');
    const later = await observer.state();
    assert.equal(later.progress.step, paused.progress.step, 'no step while paused');
    await ui.click('resume');
    await observer.advance(20);
    await ui.click('stop');
    const stopped = await observer.until((state) => state.phase === 'finished', 'the stop');
    assert.equal(stopped.outcome, 'stopped');
    assert.ok(stopped.history.losses.length > 0);
    await ui.click('new-run');
    await ui.wait('train');
  },
);

scenario(
  'the browser ends the service worker mid-run: training and a later save through the host go on',
  { prepare: (world) => world.write('waves.csv', series(400)) },
  async ({ session, world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFromHost(`${world.rootName}/waves.csv`);
    await ui.train(LONG);
    await observer.until((state) => training(state) && state.progress.step > 0, 'the first steps');
    const [before] = world.hostProcesses();
    await session.stopBackground();
    await observer.advance(50);
    await waitUntil(() => {
      const [now, ...more] = world.hostProcesses();
      return now !== undefined && now !== before && more.length === 0;
    }, 'a new host in place of the one that ended with the service worker');
    await observer.until((state) => state.host.state === 'connected', 'the link to the new host');
    await ui.click('save');
    const saved = await observer.until((state) => state.checkpoints.length > 0, 'a checkpoint');
    assert.equal(saved.checkpoints[0].store, 'host');
  },
);
