// Steps a second of the training worker while nobody looks: with the dashboard in front, then for minutes on end with
// another tab in front of it, then with no page of ours open but the one that asks, then with the dashboard in front again.
// On end, since browsers slow hidden pages down more the longer they are hidden. Prints the rates of the slices and the
// ratios to the dashboard in front; nothing is asserted.
//   node tests/bench/hidden.mjs [--minutes 10] [--visible-minutes 1] [--slice 10]
import { parseArgs } from 'node:util';
import { series } from '../e2e/lib/data.mjs';
import { Ui } from '../e2e/lib/ui.mjs';
import { build } from './cells.mjs';
import { figure, least, load, median, say } from './figures.mjs';
import { inChromium } from './in_chromium.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'visible-minutes': { type: 'string', default: '1' },
    slice: { type: 'string', default: '10' },
  },
});
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Steps a second over one slice of so many seconds. */
async function rate(observer, seconds) {
  const before = (await observer.state()).progress.step;
  const start = performance.now();
  await pause(seconds * 1000);
  const after = (await observer.state()).progress.step;
  return (after - before) / ((performance.now() - start) / 1000);
}

async function rates(observer, what, minutes) {
  await pause(500);
  const seconds = Math.min(Number(options.slice), minutes * 60);
  const slices = [];
  for (let left = minutes * 60; left > 1e-6; left -= seconds) {
    slices.push(await rate(observer, seconds));
  }
  const spread = `${figure(least(slices))} to ${figure(Math.max(...slices))}`;
  const ends = `first ${figure(slices[0])}, last ${figure(slices.at(-1))}`;
  say(
    `${what.padEnd(28)} ${figure(median(slices)).padStart(6)} steps/s  (${slices.length} slices, ${spread}; ${ends}; ` +
      `load average ${figure(load())})`,
  );
  return slices;
}

async function measure(world, session) {
  const observer = await session.observe();
  const popup = new Ui(await session.openRealPopup(), { tab: false });
  await popup.pickFile(world.write('waves.csv', series(2000)));
  await popup.train({ target: 'value', epochs: 100000, lookBack: 30, horizon: 7, device: 'cpu' });
  await observer.until((state) => state.progress?.step > 20, 'the first steps');
  await session.closePopup(popup.page);

  const [hidden, visible] = [Number(options.minutes), Number(options['visible-minutes'])];
  const dashboard = await session.openDashboard();
  await dashboard.bringToFront();
  const before = await rates(observer, 'dashboard in front', visible);
  const tab = await session.browser.newPage();
  await tab.goto('data:text/html,<h1>another tab</h1>');
  await tab.bringToFront();
  const behind = await rates(observer, 'another tab in front', hidden);
  await dashboard.close();
  await tab.bringToFront();
  const closed = await rates(observer, 'no page of ours open', visible);
  const again = await session.openDashboard();
  await again.bringToFront();
  const after = await rates(observer, 'dashboard in front again', visible);

  const seen = median([...before, ...after]);
  say(`\nhidden/visible over ${hidden} minutes   ${(median(behind) / seen).toFixed(3)}`);
  say(`closed/visible over ${visible} minutes   ${(median(closed) / seen).toFixed(3)}`);
}

for (const part of ['core', 'host', 'extension']) build(part);
await inChromium(measure);
