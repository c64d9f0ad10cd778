// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import { RunFigures } from '../../../extension/src/ui/run_figures.ts';
import { one } from './recorder.ts';
import { stateOf } from './states.ts';

let figures: RunFigures;
beforeEach(() => {
  figures = new RunFigures();
  document.body.replaceChildren(figures.element);
});

test('without a run there are no figures', () => {
  figures.update(stateOf('ready'));
  expect(figures.element.hidden).toBe(true);
});

test('a run under way shows how it learns, its pace and its memory', () => {
  const state = stateOf('training');
  const progress = {
    ...state.progress!,
    learningRate: 0.001,
    gradientNorm: 0.75,
    peakBytes: 12_300_000,
    heapBytes: 64_000_000,
    secondsLeft: 90,
  };
  figures.update({ ...state, progress });
  expect(figures.element.hidden).toBe(false);
  const texts = ['learning-rate-now', 'gradient-norm', 'device-memory', 'program-memory'].map(
    (id) => one(id).textContent,
  );
  expect(texts).toEqual(['0.001000', '0.7500', '12 MB', '64 MB']);
  expect(one('mean-error').textContent).toMatch(/\d/);
  expect(one('pace').textContent).toMatch(/steps\/s, .*1.*30.* left/);
});

test('what a device does not tell is left open', () => {
  const state = stateOf('training');
  const progress = { ...state.progress!, learningRate: null, gradientNorm: null };
  figures.update({ ...state, progress, history: { ...state.history, epochs: [] } });
  for (const id of ['learning-rate-now', 'gradient-norm', 'mean-error'])
    expect(one(id).textContent).toBe('–');
});
