// Steps a second of the training worker with the popup open, with no page open, and with another tab in front: medians
// over interleaved rounds, and their ratios to "popup open". Nothing is asserted.
//   node tests/bench/background.mjs [--rounds 5] [--seconds 4]
import { parseArgs } from 'node:util';
import { ChromiumSession } from '../e2e/lib/chromium.mjs';
import { series } from '../e2e/lib/data.mjs';
import { Ui } from '../e2e/lib/ui.mjs';
import { World } from '../e2e/lib/world.mjs';
import { interleave, median, say } from './figures.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
});
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function rate(observer) {
  await pause(500);
  const before = await observer.state();
  const start = performance.now();
  await pause(Number(options.seconds) * 1000);
  const after = await observer.state();
  return (after.progress.step - before.progress.step) / ((performance.now() - start) / 1000);
}

async function measure(world, session) {
  const observer = await session.observe();
  const first = new Ui(await session.openRealPopup(), { tab: false });
  await first.pickFile(world.write('waves.csv', series(2000)));
  await first.train({ target: 'value', epochs: 100000, lookBack: 30, horizon: 7, device: 'cpu' });
  await observer.until((state) => state.progress?.step > 20, 'the first steps');
  await session.closePopup(first.page);
  const results = await interleave(Number(options.rounds), {
    'popup open': async () => {
      const popup = await session.openRealPopup();
      const value = await rate(observer);
      await session.closePopup(popup);
      return value;
    },
    'popup closed': () => rate(observer),
    'another tab in front': async () => {
      const tab = await session.browser.newPage();
      await tab.goto('data:text/html,<h1>another tab</h1>');
      await tab.bringToFront();
      const value = await rate(observer);
      await tab.close();
      return value;
    },
  });
  const open = median(results['popup open']);
  for (const [name, values] of Object.entries(results)) {
    const all = values.map((value) => value.toFixed(0)).join(' ');
    const middle = median(values);
    say(
      `${name.padEnd(22)} ${middle.toFixed(1)} steps/s  ratio ${(middle / open).toFixed(3)}  (${all})`,
    );
  }
}

const world = new World();
const session = await ChromiumSession.launch(world);
try {
  await measure(world, session);
} finally {
  await session.close();
  world.close();
}
