// The charts of a long run in a real browser: what is drawn stays within the width's points, a redraw touches what has
// changed and no more, and a part is shown by dragging, by keys and left again.
import assert from 'node:assert/strict';
import { SCENES, showScene } from '../lib/scenes.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const POINTS = 100_000;
const CHART = 'canvas[data-testid=loss-chart]';
const training = SCENES.find(({ name, page }) => name === 'training' && page === 'dashboard');

/** A run of a hundred thousand steps, none of them thinned out by the worker. */
const progress = { ...training.state.progress, step: POINTS, stepsPerEpoch: 20_000, epoch: 5 };
const state = { ...training.state, progress };

/** Posts progress as the worker does, and tells how many changes of the document each redraw made. */
async function redraws(page, observer, times) {
  await page.evaluate(() => {
    globalThis.changes = [];
    new MutationObserver((records) => globalThis.changes.push(records.length)).observe(
      document.body,
      {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      },
    );
  });
  for (let i = 1; i <= times; i += 1) {
    const event = {
      kind: 'event',
      type: 'train.progress',
      progress: { ...progress, step: progress.step + i, trainLoss: 0.15 + i / 1000 },
      losses: [[progress.step + i, 0.15]],
    };
    await observer.page.evaluate((one) => {
      globalThis.shown += 1;
      const channel = new BroadcastChannel('shadegrad');
      channel.postMessage({ ...one, revision: globalThis.shown });
      channel.close();
    }, event);
    await new Promise((done) => setTimeout(done, 80));
  }
  return page.evaluate(() => globalThis.changes);
}

scenario(
  'a hundred thousand points are drawn as few, redrawn in place, and shown in parts',
  { host: false, seconds: 120 },
  async ({ session, observer }) => {
    const page = await showScene(session, observer, { ...training, state, points: POINTS }, (one) =>
      one.setViewport({ width: 1100, height: 900 }),
    );
    const ui = new Ui(page);
    await page.waitForSelector(`${CHART}[data-points]`);
    const drawn = () => page.$eval(CHART, (canvas) => Number(canvas.dataset.points));
    const width = await page.$eval(CHART, (canvas) => canvas.clientWidth);
    const all = await drawn();
    assert.ok(all > width && all <= 5 * 4 * (width + 1), `${all} points on ${width} px`);

    const changes = await redraws(page, observer, 10);
    assert.equal(await ui.text('step'), '100,010', 'the figures follow');
    assert.ok(changes.length > 0 && Math.max(...changes) <= 40, `changes a redraw: ${changes}`);

    const box = await (await page.$(CHART)).boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.4, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 });
    await page.mouse.up();
    await ui.wait('chart-whole');
    await ui.click('chart-whole');
    assert.equal(await ui.visible('chart-whole'), false, 'the whole is shown again');
    // The button hands the focus to the chart.
    await page.keyboard.press('+');
    await ui.wait('chart-whole');
    await page.keyboard.press('0');
    assert.equal(await ui.visible('chart-whole'), false);

    await page.$eval('.chart details', (details) => details.setAttribute('open', ''));
    await ui.waitText('chart-table', /Validation loss.*0\.\d/s);
  },
);
