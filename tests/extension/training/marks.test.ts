// What the background hears of a run, and when.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunMark } from '../../../extension/src/messages/run_mark.ts';
import { emptyState } from '../../../extension/src/messages/state.ts';
import type { Notice, Progress, RunState } from '../../../extension/src/messages/state.ts';
import { Marks } from '../../../extension/src/training/marks.ts';

let told: RunMark[];
let marks: Marks;
let state: RunState;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  marks = new Marks((mark) => told.push(mark));
  state = emptyState();
});
afterEach(() => {
  vi.useRealTimers();
});

const at = (stepInEpoch: number, epoch = 0): Progress => ({
  step: epoch * 10 + stepInEpoch,
  epoch,
  epochs: 2,
  stepInEpoch,
  stepsPerEpoch: 10,
  stepsPerSecond: 5,
  secondsLeft: 4,
  trainLoss: 0.5,
  learningRate: null,
  gradientNorm: null,
  peakBytes: null,
  heapBytes: null,
});

function show(patch: Partial<RunState>): void {
  state = { ...state, ...patch };
  marks.see({ kind: 'event', type: 'state', revision: 1, state }, state);
}
function progress(now: Progress): void {
  state = { ...state, progress: now };
  marks.see(
    { kind: 'event', type: 'train.progress', revision: 1, progress: now, losses: [] },
    state,
  );
}

test('the first event tells that there is no run, so that a mark of before goes away', () => {
  show({});
  expect(told).toMatchObject([{ kind: 'none', news: null }]);
});

test('progress is told every ten seconds, validation counts as training, and nothing is told while paused', () => {
  show({ phase: 'training', run: 'r', progress: at(0) });
  for (let second = 1; second <= 25; second += 1) {
    vi.advanceTimersByTime(1000);
    progress(at(Math.min(9, second)));
    if (second === 5) show({ phase: 'validating' });
  }
  expect(told.map(({ kind, percent }) => [kind, percent])).toEqual([
    ['training', 0],
    ['training', 45],
    ['training', 45],
  ]);
  show({ phase: 'paused' });
  vi.advanceTimersByTime(60_000);
  progress(at(9));
  expect(told.slice(3).map(({ kind }) => kind)).toEqual(['paused']);
  expect(told[1]).toMatchObject({ run: 'r', loss: 0.5, secondsLeft: 4, news: null });
});

test('the end of a run is news once; one that a person stops is none', () => {
  show({ phase: 'training', progress: at(0) });
  show({ phase: 'finished', outcome: 'completed', progress: at(0, 2) });
  show({ phase: 'finished', outcome: 'completed' });
  expect(told.slice(1)).toMatchObject([{ kind: 'done', percent: 100, news: { what: 'done' } }]);
  show({ phase: 'training', outcome: null, progress: at(1), run: 'next' });
  show({ phase: 'finished', outcome: 'stopped' });
  expect(told.slice(2)).toMatchObject([{ kind: 'training' }, { kind: 'stopped', news: null }]);
});

test('a failed run is news with its reason, a failed file is not', () => {
  show({ phase: 'failed', failure: { code: 'x', message: 'no rows' } });
  show({ phase: 'training', progress: at(3) });
  show({ phase: 'failed', failure: { code: 'train.diverged', message: 'The loss is NaN.' } });
  expect(told).toMatchObject([
    { kind: 'none', news: null },
    { kind: 'training' },
    { kind: 'failed', news: { what: 'failed', message: 'The loss is NaN.' } },
  ]);
});

test('trouble during a run is news, and is none without a run', () => {
  const notice = (level: Notice['level']): void => {
    const told = { level, code: 'store.disk_full', message: 'No room.', time: 0 };
    marks.see({ kind: 'event', type: 'notice', revision: 1, notice: told }, state);
  };
  show({});
  notice('error');
  show({ phase: 'paused', progress: at(1) });
  notice('warning');
  notice('error');
  expect(told.map(({ news }) => news)).toEqual([
    null,
    null,
    { what: 'trouble', code: 'store.disk_full', message: 'No room.' },
  ]);
});
