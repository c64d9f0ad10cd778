// @vitest-environment happy-dom
// Stored runs beside each other, their order, and those of one tag.
import { beforeEach, expect, test, vi } from 'vitest';
import type { RunInspected } from '../../../extension/src/messages/commands.ts';
import type { EpochSummary } from '../../../extension/src/messages/state.ts';
import { sortRuns, tagsOf } from '../../../extension/src/messages/runs.ts';
import type { RunGroup } from '../../../extension/src/messages/runs.ts';
import { Compare, curvesOf } from '../../../extension/src/ui/compare.ts';
import { Checkpoints } from '../../../extension/src/ui/checkpoints.ts';
import { all, choose, one, Recorder, select, settle } from './recorder.ts';
import { checkpoints, stateOf } from './states.ts';

const epoch = (number: number, validationLoss: number | null): EpochSummary => ({
  epoch: number,
  trainLoss: 1,
  validationLoss,
  stepsPerSecond: null,
  mae: null,
  rmse: null,
  r2: null,
  accuracy: null,
});
const inspected = (hidden: number, ...epochs: EpochSummary[]): RunInspected => ({
  config: {
    model: { name: 'lstm', hidden },
    data: { features: ['a'], target: 'a' },
    training: { epochs: epochs.length },
  },
  steps: [],
  losses: [],
  epochs,
});

const entry = (run: string, change: object): (typeof checkpoints)[number] => ({
  ...checkpoints[0]!,
  ok: true,
  store: 'browser',
  id: `${run}/auto-1.safetensors`,
  ...change,
});
const named = (run: string, name: string, note: string): object => ({
  store: 'browser',
  run,
  name,
  note,
  reason: null,
});
const state = stateOf('ready', {
  checkpoints: [
    entry('r1', { time: 1, loss: 0.5, size: 10 }),
    entry('r2', { time: 2, loss: 0.7, size: 30 }),
    entry('r3', { time: 3, loss: null, size: 20 }),
  ],
  runs: [
    named('r1', 'Beta', 'first try #rain'),
    named('r2', 'alpha', '#rain #big'),
    named('r3', 'Gamma', ''),
  ] as never,
});

let actions: Recorder;
beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {
        // Nothing has a size here.
      }
    },
  );
  actions = new Recorder();
});

test('curves are aligned by epoch, with gaps where a run has no validation', () => {
  const [x, first, second] = curvesOf([
    inspected(8, epoch(1, 0.9), epoch(2, null), epoch(3, 0.5)),
    inspected(16, epoch(2, 0.7), epoch(4, 0.4)),
  ]);
  expect(x).toEqual([1, 2, 3, 4]);
  expect(first).toEqual([0.9, null, 0.5, null]);
  expect(second).toEqual([null, 0.7, null, 0.4]);
});

test('two chosen runs show what differs between them, and one alone shows nothing', async () => {
  const compare = new Compare(actions);
  document.body.replaceChildren(compare.element);
  compare.update(state);
  expect(compare.element.hidden).toBe(false);
  const boxes = all<HTMLInputElement>('compare-run');
  expect(boxes.map(({ parentElement }) => parentElement?.textContent)).toEqual([
    'Gamma',
    'alpha',
    'Beta',
  ]);
  const check = async (box: HTMLInputElement, answer: RunInspected): Promise<void> => {
    actions.answers['run.inspect'] = answer;
    box.checked = true;
    box.dispatchEvent(new Event('change'));
    await settle();
    await settle();
  };
  await check(boxes[1]!, inspected(8, epoch(1, 0.9), epoch(2, 0.4)));
  expect(all('compare-table')).toEqual([]);
  let asked = 0;
  actions.run = (async () => {
    asked += 1;
    return asked === 1
      ? inspected(8, epoch(1, 0.9), epoch(2, 0.4))
      : inspected(32, epoch(1, 0.6), epoch(2, 0.7));
  }) as never;
  await check(boxes[2]!, inspected(32, epoch(1, 0.6)));
  const rows = [...one('compare-table').querySelectorAll('tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  expect(rows).toEqual([
    ['', 'alpha', 'Beta'],
    ['Lowest validation loss', '0.4000', '0.6000'],
    ['Epochs trained', '2', '2'],
    ['model.hidden', '8', '32'],
  ]);
});

test('a run that is gone is compared no longer', () => {
  const compare = new Compare(actions);
  compare.update({ ...state, checkpoints: state.checkpoints.slice(0, 1) });
  expect(compare.element.hidden).toBe(true);
});

test('runs stand in the order that is chosen, and those of a tag alone', () => {
  const list = new Checkpoints(actions);
  document.body.replaceChildren(list.element);
  list.update(state, new Set());
  const titles = (): (string | null)[] => all('run-title').map(({ textContent }) => textContent);
  expect(titles()).toEqual(['Gamma', 'alpha', 'Beta']);
  choose(select('run-order'), 'name');
  expect(titles()).toEqual(['alpha', 'Beta', 'Gamma']);
  choose(select('run-order'), 'loss');
  expect(titles()).toEqual(['Beta', 'alpha', 'Gamma']);
  choose(select('run-order'), 'size');
  expect(titles()).toEqual(['alpha', 'Gamma', 'Beta']);
  choose(select('run-tag'), '#rain');
  expect(titles()).toEqual(['alpha', 'Beta']);
});

test('tags are words with a mark, once each, in any script', () => {
  expect(tagsOf('#Rain and #rain, #größe. a#b # #雨')).toEqual(['#rain', '#größe', '#雨']);
  expect(tagsOf('nothing')).toEqual([]);
});

test('groups without a loss come last, and equal ones stay as they were', () => {
  const group = (run: string, loss: number | null): RunGroup => ({
    store: 'browser',
    run,
    name: '',
    note: '',
    reason: null,
    checkpoints: [entry(run, { loss })],
  });
  const groups = [group('a', null), group('b', 2), group('c', null), group('d', 1)];
  expect(sortRuns(groups, 'loss').map(({ run }) => run)).toEqual(['d', 'b', 'a', 'c']);
});
