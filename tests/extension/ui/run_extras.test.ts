// @vitest-environment happy-dom
// What is done with stored runs beside resuming them, and what the dashboard's address asks for.
import { beforeEach, expect, test, vi } from 'vitest';
import { configIn, configLink } from '../../../extension/src/messages/config_link.ts';
import { Address } from '../../../extension/src/ui/address.ts';
import { makeRunImports, runExtras } from '../../../extension/src/ui/run_extras.ts';
import { all, button, input, one, Recorder, settle, type } from './recorder.ts';
import { stateOf } from './states.ts';
import { Bench } from './bench.ts';

const config = {
  model: { name: 'lstm', hidden: 8 },
  data: { features: ['temp_min', 'wind'], target: 'wind', lookBack: 9 },
  training: { epochs: 77 },
};
const PAGE = 'chrome-extension://x/dashboard.html';

let actions: Recorder;
let copied: string[];
beforeEach(() => {
  localStorage.clear();
  actions = new Recorder();
  actions.answers['run.inspect'] = { config, steps: [], losses: [], epochs: [] };
  actions.answers['config.offer'] = {};
  copied = [];
  const { i18n } = globalThis.chrome as unknown as { i18n: object };
  vi.stubGlobal('chrome', {
    i18n,
    runtime: { getURL: (path: string) => PAGE.replace('dashboard.html', path) },
  });
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => {
    copied.push(text);
  });
  window.location.hash = '';
  const extras = runExtras(actions, { store: 'browser', run: 'lstm-1' });
  document.body.replaceChildren(makeRunImports(actions), ...extras);
});

test('another run begins with the settings of a stored one', async () => {
  button('run-duplicate').click();
  await settle();
  expect(actions.commands).toEqual([
    { type: 'run.inspect', store: 'browser', run: 'lstm-1' },
    { type: 'config.offer', config },
  ]);
  expect(actions.told).toMatchObject([{ level: 'info', code: 'config.offered' }]);
});

test('its link is copied and holds its settings', async () => {
  button('run-link').click();
  await settle();
  expect(copied.map(configIn)).toEqual([config]);
  expect(copied[0]).toMatch(/^chrome-extension:\/\/x\/dashboard\.html#config=/);
});

test.each([configLink(PAGE, config), JSON.stringify(config)])(
  'pasted settings are used: %s',
  async (text) => {
    type(input('config-text'), text);
    button('config-use').form?.dispatchEvent(new Event('submit', { cancelable: true }));
    await settle();
    expect(actions.of('config.offer')).toEqual([{ type: 'config.offer', config }]);
    expect(input('config-text').value).toBe('');
  },
);

test('pasted nonsense is refused, stays to be mended, and reaches no worker', async () => {
  type(input('config-text'), '{"model":');
  button('config-use').form?.dispatchEvent(new Event('submit', { cancelable: true }));
  await settle();
  expect(actions.commands).toEqual([]);
  expect(actions.told).toMatchObject([
    { level: 'error', message: expect.stringMatching(/neither a link/) },
  ]);
  expect(input('config-text').value).toBe('{"model":');
});

test('the address of a shared configuration offers it once and is clean afterwards', async () => {
  window.location.hash = new URL(configLink(PAGE, config)).hash;
  const address = new Address(actions);
  address.follow();
  address.follow();
  await settle();
  expect(actions.of('config.offer')).toEqual([{ type: 'config.offer', config }]);
  expect(window.location.hash).toBe('');
});

test('the address of a run brings it to the keyboard', () => {
  const row = document.createElement('li');
  row.dataset['run'] = 'lstm-1';
  row.scrollIntoView = () => undefined;
  document.body.append(row);
  window.location.hash = '#run=lstm-1';
  new Address(actions).follow();
  expect(document.activeElement).toBe(row);
});

test('offered settings fill the form, also over a finished run', () => {
  const bench = new Bench();
  bench.show(stateOf('finished'));
  expect(all('epochs')).toEqual([]);
  bench.show(stateOf('finished', { offered: config }));
  expect(input('epochs').value).toBe('77');
  expect(input('look-back').value).toBe('9');
  expect((one('target') as HTMLSelectElement).value).toBe('wind');
});
