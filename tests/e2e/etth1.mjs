// A long run by hand: an LSTM on ETTh1.csv (17,420 hourly rows, 7 columns) in Chromium, from the file to the comparison
// with the naive forecasts. Prints loss and time. Usage: node etth1.mjs FILE.csv
import assert from 'node:assert/strict';
import { ChromiumSession } from './lib/chromium.mjs';
import { Ui } from './lib/ui.mjs';
import { World } from './lib/world.mjs';

const RUN = { target: 'OT', lookBack: 96, horizon: 24, epochs: 5 };
const say = (line) => process.stdout.write(`${line}\n`);
const number = (value) => (value === null ? '-' : value.toPrecision(4));

async function runOn(file, session) {
  const ui = new Ui(await session.openPopup());
  const observer = await session.observe();
  const reading = Date.now();
  await ui.pickFile(file);
  const { description } = await observer.until(({ phase }) => phase === 'ready', 'the file', 60);
  const names = description.columns.map(({ name }) => name).join(', ');
  say(
    `read ${description.rows} rows (${names}) in ${((Date.now() - reading) / 1000).toFixed(1)} s`,
  );

  const started = Date.now();
  await ui.train(RUN);
  let told = 0;
  const state = await observer.until(
    (one) => {
      for (const epoch of one.history.epochs.slice(told)) {
        if (epoch.validationLoss === null) break;
        told += 1;
        say(
          `epoch ${told}  train ${number(epoch.trainLoss)}  validation ${number(epoch.validationLoss)}` +
            `  MAE ${number(epoch.mae)}  ${Math.round(epoch.stepsPerSecond ?? 0)} steps/s  ${one.device}`,
        );
      }
      return one.phase === 'finished' || one.phase === 'failed';
    },
    'the run to end',
    1800,
  );
  assert.equal(state.phase, 'finished', state.failure?.message);
  const { naive, seasonalNaive, season } = state.baselines;
  const loss = state.history.epochs.at(-1).validationLoss;
  say(`trained ${state.progress.step} steps in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  say(
    `validation loss ${number(loss)}; naive ${number(naive)}; seasonal (${season}) ${number(seasonalNaive)}`,
  );
}

const [file] = process.argv.slice(2);
const world = new World();
const session = await ChromiumSession.launch(world);
try {
  await runOn(file, session);
} finally {
  await session.close();
  world.close();
}
