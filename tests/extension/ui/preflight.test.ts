// @vitest-environment happy-dom
// Before Train: the proposal with its reason, what a trial has measured, and what fits where the run does not.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunConfig, RunState } from '../../../extension/src/messages/state.ts';
import type { Trial } from '../../../extension/src/messages/trial.ts';
import { Bench } from './bench.ts';
import { all, button, input, one, type } from './recorder.ts';
import { description, stateOf } from './states.ts';
import { measured, trialFor } from './tried.ts';

let bench: Bench;
let trials: Trial[];

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  bench = new Bench();
  trials = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const show = (change: Partial<RunState> = {}): void => {
  bench.show(stateOf('ready', { trials: [...trials], ...change }));
};
const asked = (): RunConfig[] => bench.actions.of('run.trial').map(({ config }) => config);
/** What the page asks for after a moment of quiet. */
const nextAsked = (): RunConfig => {
  vi.advanceTimersByTime(600);
  return asked().at(-1)!;
};
const answer = (config: RunConfig, trial: Partial<Trial>): void => {
  trials.push(trialFor(config, trial));
  show();
};

describe('the proposal', () => {
  it('names model, size and reason', () => {
    show();
    expect(one('proposal').textContent).toMatch(
      /^Proposed: LSTM, Medium\. It reads the last 30 rows/,
    );
    expect(one('use-proposal').hidden).toBe(true);
  });

  it('is a small model for few rows', () => {
    show({ description: description({ rows: 250 }) });
    expect(one('proposal').textContent).toMatch(/^Proposed: LSTM, Small\. There are only 250 rows/);
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config.model['hidden']).toBe(16);
  });

  it('stays to be had after another choice', () => {
    show();
    all<HTMLInputElement>('model-size')[2]!.click();
    expect(one('proposal').textContent).toMatch(/^Another choice was proposed: LSTM, Medium/);
    one('use-proposal').click();
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config.model['hidden']).toBe(32);
  });
});

describe('the trial', () => {
  it('is asked for once the form is quiet, once for each configuration', () => {
    show();
    expect(asked()).toEqual([]);
    expect(nextAsked().model['hidden']).toBe(32);
    show();
    vi.advanceTimersByTime(5000);
    expect(asked()).toHaveLength(1);
    type(input('epochs'), '3');
    expect(nextAsked().training['epochs']).toBe(3);
  });

  it('is the run that Train begins', () => {
    show();
    const config = nextAsked();
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config).toEqual(config);
  });

  it('is not asked for while something stands against the run', () => {
    show();
    type(input('epochs'), '0');
    vi.advanceTimersByTime(5000);
    expect(asked()).toEqual([]);
    expect(one('trial').hidden).toBe(true);
  });

  it('says seconds an epoch, the whole, memory and device before Train', () => {
    show();
    answer(nextAsked(), { measured });
    expect(one('trial').textContent).toBe(
      'Measured: 4s an epoch, about 1m 20s in all; at most 3.2 MB of memory (Processor). Tried with 42 steps.',
    );
    expect(button('train').disabled).toBe(false);
  });

  it('can be called off, and asked for again', () => {
    show();
    const config = nextAsked();
    answer(config, { outcome: 'measuring' });
    one('trial-act').click();
    expect(bench.actions.of('trial.stop')).toHaveLength(1);
    trials = [];
    answer(config, { outcome: 'cancelled' });
    vi.advanceTimersByTime(5000);
    expect(asked()).toHaveLength(1);
    one('trial-act').click();
    expect(asked()).toHaveLength(2);
  });

  it('tells why it failed, and lets the person train all the same', () => {
    show();
    answer(nextAsked(), { outcome: 'failed', failure: { code: 'strange', message: 'Odd.' } });
    expect(one('trial').textContent).toBe('It could not be tried: Odd.');
    expect(button('train').disabled).toBe(false);
  });
});

describe('a run that does not fit', () => {
  it('cannot be begun; smaller sizes are tried, and the first that fits is offered', () => {
    show();
    answer(nextAsked(), { outcome: 'unfit' });
    expect(button('train').disabled).toBe(true);
    const half = nextAsked();
    expect(half.model['hidden']).toBe(16);
    answer(half, { outcome: 'unfit' });
    const quarter = nextAsked();
    expect(quarter.model['hidden']).toBe(8);
    answer(quarter, { measured });
    expect(one('trial').textContent).toContain('Hidden 8 fits: 4s an epoch, at most 3.2 MB');
    one('trial-act').click();
    expect(button('train').disabled).toBe(false);
    one('train').click();
    expect(bench.actions.of('run.start')[0]?.config).toEqual(quarter);
  });

  it('of which no size fits says what else would help', () => {
    show();
    for (let config = nextAsked(), tries = 0; tries < 10; tries += 1) {
      answer(config, { outcome: 'unfit' });
      const next = nextAsked();
      if (next === config) break;
      config = next;
    }
    expect(one('trial').textContent).toContain('No smaller size of this model fits either');
    expect(button('train').disabled).toBe(true);
  });
});
