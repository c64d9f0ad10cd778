// What popup and dashboard look like in each of their states, shown without reaching them one by one: the pages are the
// built ones and connected to their worker, and the state that they show is made here and posted on their channel.
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { ROOT } from './world.mjs';

const require = createRequire(join(ROOT, 'extension/package.json'));
const { build } = require('esbuild');

/** The states that the unit tests use, which are TypeScript. */
async function loadStates() {
  const { outputFiles } = await build({
    stdin: {
      contents: ['states', 'judged_states', 'tried', 'searched']
        .map((name) => `export * from './${name}.ts';`)
        .join('\n'),
      resolveDir: join(ROOT, 'tests/extension/ui'),
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
}

// The sentences are the pages' own.
globalThis.chrome = { i18n: { getMessage: () => '', getUILanguage: () => 'en' } };
const {
  classified,
  column,
  description,
  measured,
  regressed,
  searchState,
  stateOf: wholeState,
  tableState,
  triedState,
} = await loadStates();

/** With few rows in the preview: each would be looked at by every rule. */
function stateOf(phase, change) {
  const state = wholeState(phase, change);
  if (state.description !== null)
    state.description = { ...state.description, preview: state.description.preview.slice(0, 6) };
  return state;
}

const missing = {
  state: 'missing',
  version: null,
  message:
    'No native host is installed. Installing it adds picking files from folders that you grant, and checkpoints kept as files on disk.',
  frames: 0,
  bytes: 0,
  roots: [],
  dialog: null,
};
const LONG = 'household-power-consumption-2007-to-2010-one-minute-averages-of-the-whole-house.csv';
const source = { kind: 'file', name: LONG, size: 132_960_755, path: null, imported: null };
const wide = description({
  rows: 2_075_259,
  columns: [
    column('date and time', {
      type: 'datetime',
      first: '2006-12-16',
      last: '2010-11-26',
      stepSeconds: 60,
      gaps: 0,
    }),
    ...Array.from({ length: 39 }, (_, i) =>
      column(
        i === 5 ? 'Global_reactive_power_of_the_whole_household_in_kilovars' : `sensor_${i + 1}`,
      ),
    ),
  ],
  preview: Array.from({ length: 6 }, (_, row) =>
    Array.from({ length: 40 }, (_, i) => (i === 0 ? '2006-12-16 17:24' : String((row * i) % 97))),
  ),
});
const imported = (id, name, problem = null) => ({
  id,
  name,
  kind: 'file',
  path: null,
  rows: 1461,
  bytes: 24_100,
  used: Date.UTC(2026, 4, 14, 9, 41),
  problem,
});
const failed = {
  failure: {
    code: 'csv.empty',
    message:
      'empty.csv holds no rows: line 1 is its only line. Choose a file with a header and at least two rows.',
  },
  description: null,
  config: null,
  progress: null,
};
const full = {
  level: 'error',
  code: 'store.disk_full',
  message:
    'seattle-weather-180.safetensors was not saved: the disk of /home/ada/Shadegrad is full (4 kB left of 61 kB needed). Training goes on; free some space and press Save now.',
  time: 1,
};
const unfit = { outcome: 'unfit', failure: { code: 'memory.exhausted', message: '' } };
const smaller = { fields: { hidden: 16 }, trial: { measured } };
const dialog = { ...stateOf('empty').host, dialog: 'folder' };

/**
 * `connection` tells what a page's question for its worker comes to: an answer, none yet, or a refusal. A scene may have
 * an `open`, a summary whose details are opened, and an `evaluation`, what the worker is made to say of the model.
 */
const scene = (name, page, width, state, connection = 'connected') => ({
  name,
  page,
  width,
  state,
  connection,
});

export const SCENES = [
  scene('first', 'popup', 360, stateOf('empty', { host: missing })),
  scene('loading', 'popup', 360, null, 'connecting'),
  scene('disconnected', 'popup', 360, null, 'failed'),
  scene('reading', 'popup', 360, stateOf('reading')),
  scene(
    'understood',
    'popup',
    360,
    triedState(stateOf('ready', { source, description: wide }), { measured }),
  ),
  scene('unfit', 'popup', 360, triedState(stateOf('ready'), unfit, [smaller])),
  scene('measuring', 'dashboard', 700, triedState(stateOf('ready'), { outcome: 'measuring' })),
  { ...scene('settings', 'dashboard', 1100, stateOf('ready')), open: '#advanced' },
  {
    ...scene('search', 'dashboard', 1100, triedState(stateOf('ready'), { measured })),
    open: '#search',
  },
  scene('searching', 'popup', 360, searchState('running', 'training')),
  scene('searching', 'dashboard', 1100, searchState('running', 'training')),
  scene('searched', 'popup', 360, searchState('completed', 'finished')),
  scene('searched', 'dashboard', 1100, searchState('completed', 'finished')),
  scene('search-cut-off', 'popup', 360, searchState('interrupted', 'empty', { run: null })),
  scene('error', 'popup', 360, stateOf('failed', failed)),
  scene('training', 'popup', 360, stateOf('training')),
  scene('finished', 'popup', 400, stateOf('finished')),
  scene(
    'setup',
    'dashboard',
    1100,
    triedState(stateOf('ready', { source, description: wide }), { measured }),
  ),
  scene(
    'imports',
    'dashboard',
    700,
    stateOf('empty', {
      imports: [
        imported('a', LONG),
        imported('b', 'waves.csv', '000000.safetensors is not as it was'),
      ],
      importsFree: 2e9,
    }),
  ),
  scene('training', 'dashboard', 1600, stateOf('training')),
  scene('finished', 'dashboard', 1100, stateOf('finished')),
  scene('table', 'popup', 360, tableState('ready', 'classification')),
  scene('table', 'dashboard', 1100, tableState('ready', 'classification')),
  scene('table-training', 'dashboard', 1100, tableState('training', 'classification')),
  {
    ...scene('classified', 'popup', 400, tableState('finished', 'classification')),
    evaluation: classified,
  },
  {
    ...scene('classified', 'dashboard', 1100, tableState('finished', 'classification')),
    evaluation: classified,
  },
  {
    ...scene('regressed', 'dashboard', 1100, tableState('finished', 'regression')),
    evaluation: regressed,
  },
  scene('dialog', 'dashboard', 700, stateOf('empty', { host: dialog })),
  scene('error', 'dashboard', 1100, stateOf('paused', { notices: [full] })),
];

/** Before the page's own scripts: what it asks the background comes to nothing, or to a refusal. */
const silence = () => {
  globalThis.chrome.runtime.sendMessage = () => new Promise(() => {});
};
const refuse = () => {
  const message = 'The training could not be opened: the extension was updated. Reload this page.';
  globalThis.chrome.runtime.sendMessage = async () => ({
    ok: false,
    code: 'training.open',
    message,
  });
};

/** In the worker's place, which has no run to speak of. */
const answer = (evaluation) => {
  const post = BroadcastChannel.prototype.postMessage;
  BroadcastChannel.prototype.postMessage = function (message) {
    if (message.command?.type !== 'evaluation.get') return post.call(this, message);
    const data = { kind: 'reply', id: message.id, ok: true, result: evaluation };
    setTimeout(() => this.dispatchEvent(new MessageEvent('message', { data })));
  };
};

/** Opens the page and shows the state, with a loss for each of so many steps; `prepare` comes before its address. */
export async function showScene(
  session,
  observer,
  { page: name, state, connection, open, evaluation, points = 0 },
  prepare,
) {
  const page = await session.browser.newPage();
  await prepare?.(page);
  if (connection === 'connecting') await page.evaluateOnNewDocument(silence);
  if (connection === 'failed') await page.evaluateOnNewDocument(refuse);
  await session.goTo(page, `${name}.html`);
  if (evaluation !== undefined) await page.evaluate(answer, evaluation);
  if (connection === 'connecting') await page.waitForSelector('[data-screen=waiting]');
  else if (connection === 'failed') await page.waitForSelector('.notice');
  else await post(observer, page, state, points);
  if (evaluation !== undefined) {
    await page.waitForSelector('[data-testid=verdict][data-kind=better], [data-kind=equal]');
    // Charts are drawn once their width is known.
    if (name === 'dashboard') await page.waitForSelector('[data-testid=table-result] canvas');
  }
  if (open !== undefined) await page.$eval(open, (summary) => (summary.parentElement.open = true));
  return page;
}

/** Another state comes first, so that what is there in the end is none of the worker's own. */
async function post(observer, page, state, points) {
  await page.bringToFront();
  const other = stateOf(state.phase === 'reading' ? 'ready' : 'reading');
  await show(observer, page, other);
  await show(observer, page, state, points);
}

/** Posted until it is there: while the page still connects, its worker's own state may come after. */
async function show(observer, page, state, points = 0) {
  const wanted = `[data-testid=status-phase][data-phase=${state.phase}]`;
  const send = (one, count) => {
    globalThis.shown = one.revision;
    if (count > 0) {
      const steps = Array.from({ length: count }, (_, i) => i + 1);
      const loss = (step) => 0.1 + 0.9 / (1 + step / 5000) + 0.05 * Math.sin(step * 12.9898);
      Object.assign(one.history, { steps, losses: steps.map(loss) });
    }
    const channel = new BroadcastChannel('shadegrad');
    channel.postMessage({ kind: 'event', type: 'state', revision: one.revision, state: one });
    channel.close();
  };
  for (let tries = 0; tries < 160; tries += 1) {
    await observer.page.evaluate(send, { ...state, revision: 1_000_000 + tries }, points);
    const there = await page.waitForSelector(wanted, { timeout: 250 }).catch(() => null);
    if (there !== null) return;
  }
  throw new Error(`the page did not show the phase ${state.phase}`);
}
