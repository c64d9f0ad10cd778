import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../../extension/src/messages/events.ts';
import {
  addNotice,
  appendLosses,
  emptyHistory,
  emptyState,
  HISTORY_POINTS,
  NOTICE_LIMIT,
} from '../../../extension/src/messages/state.ts';

const points = (count: number): [number, number][] =>
  Array.from({ length: count }, (_, i) => [i + 1, 1 / (i + 1)]);

describe('the history of losses', () => {
  test('stays bounded and keeps the mean of what it thins', () => {
    const history = emptyHistory();
    appendLosses(
      history,
      points(50_000).map(([step]) => [step, 3] as const),
    );
    expect(history.steps.length).toBeLessThan(HISTORY_POINTS);
    expect(history.steps.length).toBeGreaterThanOrEqual(HISTORY_POINTS / 2);
    expect(history.losses.every((loss) => loss === 3)).toBe(true);
    expect(history.steps).toEqual([...history.steps].sort((a, b) => a - b));
  });

  test('is the same however the losses were grouped', () => {
    const [once, pieces] = [emptyHistory(), emptyHistory()];
    const all = points(7001);
    appendLosses(once, all);
    for (let i = 0; i < all.length; i += 13) appendLosses(pieces, all.slice(i, i + 13));
    expect(pieces).toEqual(once);
  });
});

describe('events', () => {
  const progress = {
    step: 1,
    epoch: 0,
    epochs: 1,
    stepInEpoch: 1,
    stepsPerEpoch: 10,
    stepsPerSecond: 1,
    secondsLeft: 1,
    trainLoss: 1,
    learningRate: 1,
    gradientNorm: 1,
    peakBytes: 1,
    heapBytes: 64e6,
  };
  const losses: [number, number][] = [[1, 0.5]];

  test('an increment in order is added', () => {
    const state = emptyState();
    const next = applyEvent(state, {
      kind: 'event',
      type: 'train.progress',
      revision: 1,
      progress,
      losses,
    });
    expect(next).toMatchObject({
      revision: 1,
      progress,
      history: { steps: [1], losses: [0.5] },
    });
  });

  test('an increment after a gap asks for the whole state', () => {
    const event = {
      kind: 'event',
      type: 'train.progress',
      revision: 2,
      progress,
      losses,
    } as const;
    expect(applyEvent(emptyState(), event)).toBeNull();
    expect(applyEvent(null, event)).toBeNull();
  });

  test('notices of one code replace each other and are bounded', () => {
    const notice = { level: 'info', code: 'a', message: '1', time: 0 } as const;
    expect(addNotice([notice], { ...notice, message: '2' })).toEqual([{ ...notice, message: '2' }]);
    let notices: ReturnType<typeof addNotice> = [];
    for (let i = 0; i < 100; i += 1) notices = addNotice(notices, { ...notice, code: String(i) });
    expect(notices).toHaveLength(NOTICE_LIMIT);
  });
});
