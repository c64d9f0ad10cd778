// The demonstration: a person's whole path through the real extension, told line by line, and every claim checked. Any
// check that fails ends it with status 1. Usage: node demo.mjs [--headed]
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ChromiumSession } from './lib/chromium.mjs';
import { filesBelow } from './lib/files.mjs';
import { packageFile } from './lib/puppeteer.mjs';
import { Ui } from './lib/ui.mjs';
import { BUILD, World } from './lib/world.mjs';

const SAMPLE = 'seattle-weather.csv';
const FOLDER = join(BUILD, 'demo');
const RUN = {
  ...{ target: 'temp_max', lookBack: 30, horizon: 7 },
  ...{ epochs: 60, learningRate: 0.0004, device: 'cpu' },
};
const COMPARED = 20;

const { values: options } = parseArgs({ options: { headed: { type: 'boolean', default: false } } });
const started = Date.now();
const say = (line) => process.stdout.write(`${line}\n`);
const number = (value) => (value === null ? '-' : value.toPrecision(4));
const finished = (state) => state.phase === 'finished';
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function openUi(session) {
  return new Ui(await session.openRealPopup(), { tab: false });
}

/** One line for each epoch that has ended since the last call. */
function tellEpochs(state, told) {
  for (const epoch of state.history.epochs) {
    if (epoch.epoch <= told || epoch.validationLoss === null) continue;
    told = epoch.epoch;
    say(
      `  epoch ${String(told).padStart(3)}  train ${number(epoch.trainLoss)}  ` +
        `validation ${number(epoch.validationLoss)}  ${Math.round(epoch.stepsPerSecond ?? 0)} steps/s  ${state.device}`,
    );
  }
  return told;
}

async function pickSample(world, ui, observer) {
  const path = join(world.granted, SAMPLE);
  copyFileSync(packageFile(`vega-datasets/data/${SAMPLE}`), path);
  await ui.pickFromHost(`${world.rootName}/${SAMPLE}`);
  const state = await observer.until(({ phase }) => phase === 'ready', 'the sample to be read');
  assert.equal(state.source.kind, 'host');
  assert.ok(state.host.frames > 0, 'the bytes must have come from the host');
  assert.equal(state.host.bytes, readFileSync(path).length);
  const { rows, columns } = state.description;
  say(
    `picked ${state.source.path} through the native host: ${rows} rows, ${columns.length} columns`,
  );
  say(`  (${state.host.bytes} bytes; data frames of dataset.read: ${state.host.frames})`);
}

/** Trains to the end; on the way the popup is closed and the steps must go on. Returns the last state. */
async function trainAndClose(session, ui, observer) {
  say(
    `training an LSTM to forecast ${RUN.target} ${RUN.horizon} rows ahead from ${RUN.lookBack} rows, ` +
      `${RUN.epochs} epochs on ${RUN.device}`,
  );
  await ui.train(RUN);
  let told = 0;
  let closedAt = null;
  for (;;) {
    const state = await observer.until(({ progress }) => progress !== null, 'the run');
    assert.notEqual(state.phase, 'failed', state.failure?.message);
    told = tellEpochs(state, told);
    const total = RUN.epochs * state.progress.stepsPerEpoch;
    // Closing takes a second, on a busy machine several, in which training goes on: begun early, it is done in time.
    if (closedAt === null && state.progress.step >= 0.1 * total) {
      await session.closePopup(ui.page);
      assert.deepEqual(await session.openPopups(), [], 'the popup is closed');
      closedAt = (await observer.state()).progress.step;
      say(`  popup closed at step ${closedAt} of ${total}`);
      const later = await observer.until(
        (one) => one.progress.step >= closedAt + 20 || finished(one),
        'steps with no popup open',
      );
      assert.ok(later.progress.step > closedAt, 'training goes on without the popup');
      say(`  no popup open, step ${later.progress.step} of ${total}: training went on`);
    }
    if (finished(state)) return state;
    await pause(20);
  }
}

async function saveAndResume(world, session, observer, before) {
  const ui = await openUi(session);
  await ui.click('save');
  const saved = await observer.until(({ checkpoints }) => checkpoints.length > 0, 'the checkpoint');
  const [entry] = saved.checkpoints;
  assert.equal(entry.store, 'host');
  const [path] = filesBelow(world.home, entry.id);
  say(`saved through the host: ${path} (${entry.size} bytes)`);

  await session.closePopup(ui.page);

  const epochs = RUN.epochs + 1;
  const dashboard = new Ui(await session.openDashboard());
  await dashboard.wait('checkpoint-resume');
  await dashboard.type('resume-epochs', 1);
  await dashboard.click('checkpoint-resume');
  const state = await observer.until(
    (one) => finished(one) && one.progress.epoch === epochs,
    'the resumed epoch',
    60,
  );
  const { stepsPerEpoch, step } = state.progress;
  assert.equal(step, before.progress.step + stepsPerEpoch, 'the step goes on');
  const [first, last] = [before.history.epochs[0], before.history.epochs.at(-1)];
  const resumed = state.history.epochs.at(-1);
  assert.ok(resumed.trainLoss < (first.trainLoss + last.trainLoss) / 2, 'the loss goes on');
  say(`resumed from that file at step ${before.progress.step}, now at step ${step}:`);
  tellEpochs(state, RUN.epochs);
  await dashboard.page.close();
  return state;
}

/** Fails unless the trained model is better than both forecasts that need no training. */
function compareWithBaselines(state) {
  const loss = state.history.epochs.at(-1).validationLoss;
  const { naive, seasonalNaive, season } = state.baselines;
  say(
    `validation loss ${number(loss)}; repeating the last value ${number(naive)}; ` +
      `repeating the value ${season} rows back ${number(seasonalNaive)}`,
  );
  assert.ok(loss < naive, 'the model must beat the naive forecast');
  assert.ok(seasonalNaive !== null, 'a season was found');
  assert.ok(loss < seasonalNaive, 'the model must beat the seasonal naive forecast');
  say('  the model is better than both');
}

async function drawDashboard(session) {
  const page = await session.openDashboard();
  await page.setViewport({ width: 1280, height: 1000 });
  const ui = new Ui(page);
  await ui.wait('loss-chart');
  await ui.wait('prediction-chart');
  await pause(500); // the charts are drawn in the next frames
  await page.screenshot({ path: join(FOLDER, 'loss.png'), fullPage: true });
  say(`the dashboard's picture: ${join(FOLDER, 'loss.png')}`);
  await page.close();
}

async function compareDevices(session, observer) {
  const losses = {};
  for (const device of ['cpu', 'webgl']) {
    const ui = await openUi(session);
    await ui.click('new-run');
    await ui.train({ ...RUN, epochs: 1, device });
    await observer.until(
      (state) => finished(state) && state.progress.epoch === 1 && state.device === device,
      `the run on ${device}`,
      60,
    );
    losses[device] = (await observer.losses()).slice(0, COMPARED);
    assert.equal(losses[device].length, COMPARED);
    const { draws } = (await observer.call({ type: 'counters.get' })).result;
    assert.equal(draws > 0, device === 'webgl');
    const [, last] = losses[device].at(-1);
    say(
      `${device.padEnd(5)} ${COMPARED} steps from the same seed: loss ${last.toFixed(6)}, ${draws} draws`,
    );
    await session.closePopup(ui.page);
  }
  const differences = losses.cpu.map(([, loss], i) => Math.abs(loss - losses.webgl[i][1]));
  const largest = Math.max(...differences);
  say(`  largest difference of a loss: ${largest.toExponential(1)}`);
  assert.ok(largest <= 1e-4, 'both devices must train alike');
}

async function demonstrate(world) {
  world.installHost();
  say(`native host registered for ${world.profile}`);
  const session = await ChromiumSession.launch(world, { headed: options.headed });
  try {
    const observer = await session.observe();
    const ui = await openUi(session);
    await pickSample(world, ui, observer);
    const trained = await trainAndClose(session, ui, observer);
    const resumed = await saveAndResume(world, session, observer, trained);
    compareWithBaselines(resumed);
    await drawDashboard(session);
    await compareDevices(session, observer);
    assert.deepEqual(session.problems, [], 'consoles and policies must stay silent');
  } finally {
    await session.close();
  }
}

rmSync(join(FOLDER, 'home'), { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
try {
  await demonstrate(new World(join(FOLDER, 'home')));
  say(`every check passed, in ${Math.round((Date.now() - started) / 1000)} s`);
} catch (error) {
  process.stderr.write(`FAILED: ${error.stack}\n`);
  process.exitCode = 1;
}
