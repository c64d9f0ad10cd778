// @vitest-environment happy-dom
// What charts draw: axes and curves by their names in the person's language, and errors as bars. The library draws on a
// canvas that keeps what it is told.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { classSections } from '../../../extension/src/ui/class_result.ts';
import { LossChart } from '../../../extension/src/ui/loss_chart.ts';
import { numberSections } from '../../../extension/src/ui/number_result.ts';
import { PredictionChart } from '../../../extension/src/ui/prediction_chart.ts';
import { LANGUAGES, speak } from '../texts.ts';
import type { Language } from '../texts.ts';
import { classified, regressed } from './judged_states.ts';
import { one, Recorder, settle } from './recorder.ts';
import { stateOf } from './states.ts';

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

class Path {
  readonly rects: Rect[] = [];
  rect(x: number, y: number, width: number, height: number): void {
    this.rects.push({ x, y, width, height });
  }
}

/** Every other method and property of a canvas's context is there and does nothing. */
for (const name of ['moveTo', 'lineTo', 'arc', 'closePath', 'addPath'])
  Object.assign(Path.prototype, { [name]: () => undefined });

class Ink {
  readonly texts: string[] = [];
  readonly filled: Rect[] = [];
  font = '';

  static for(canvas: HTMLCanvasElement): Ink {
    let ink = inks.get(canvas);
    if (ink === undefined) {
      ink = new Ink();
      inks.set(canvas, ink);
    }
    return ink;
  }

  fillText(text: string): void {
    this.texts.push(text);
  }

  fill(path: unknown): void {
    if (path instanceof Path) this.filled.push(...path.rects);
  }

  measureText(text: string): { width: number } {
    return { width: 6 * text.length };
  }
}

for (const name of [
  ...['save', 'restore', 'beginPath', 'closePath', 'clip', 'stroke', 'moveTo', 'lineTo', 'rect'],
  ...['clearRect', 'fillRect', 'setLineDash', 'translate', 'rotate', 'arc'],
])
  Object.assign(Ink.prototype, { [name]: () => undefined });

const inks = new WeakMap<HTMLCanvasElement, Ink>();

/** Elements have a width at once, as they have in a window. */
class Observer {
  readonly #told: () => void;
  constructor(told: () => void) {
    this.#told = told;
  }
  observe(element: Element): void {
    Object.defineProperty(element, 'clientWidth', { value: 400 });
    queueMicrotask(this.#told);
  }
}

const inkOf = (name: string): Ink => inks.get(one(name) as HTMLCanvasElement)!;

/** What is written beside the numbers of the axes, without what is data's: ticks and classes. */
const words = (name: string): string[] =>
  [...new Set(inkOf(name).texts)].filter((text) => /\p{L}/u.test(text));

async function showAll(language: Language = 'en'): Promise<void> {
  speak(language);
  const loss = new LossChart(200);
  const predictions = new PredictionChart(new Recorder(), 200);
  loss.update(stateOf('finished'));
  predictions.update(stateOf('finished'));
  document.body.replaceChildren(
    loss.element,
    predictions.element,
    ...numberSections(regressed.regression!, 'petal width'),
    ...classSections(classified.classification!),
  );
  await settle();
}

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', Observer);
  vi.stubGlobal('Path2D', Path);
  // Without a colour nothing is filled.
  document.documentElement.style.setProperty('--train', '#1c5fa8');
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(function (
    this: HTMLCanvasElement,
  ) {
    return Object.assign(Ink.for(this), { canvas: this }) as never;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  speak('en');
});

describe('the charts', () => {
  it.each(LANGUAGES)('write words that begin large in %s', async (language) => {
    await showAll(language);
    const names = [...document.querySelectorAll('canvas')].map(({ id }) => id);
    expect(names).toHaveLength(7);
    for (const name of names) {
      expect(words(name).length, name).toBeGreaterThan(1);
      expect(words(name).filter((text) => /^\p{Ll}/u.test(text))).toEqual([]);
    }
  });

  it('name their axes in the language that is spoken', async () => {
    await showAll();
    expect(words('scatter-chart')).toEqual(expect.arrayContaining(['Truth', 'Predicted']));
    await showAll('es');
    expect(words('scatter-chart')).toEqual(expect.arrayContaining(['Realidad', 'Predicho']));
  });

  it('show how errors are spread as bars: each as wide as its bin and as tall as its count', async () => {
    await showAll();
    const bars = inkOf('residual-chart').filled;
    const { counts } = regressed.regression!.residuals;
    expect(bars).toHaveLength(counts.length);
    const [first, second] = [bars[0]!, bars[1]!];
    expect(second.x - first.x - first.width).toBeLessThan(3);
    expect(second.x - first.x - first.width).toBeGreaterThan(0);
    bars.forEach(({ height }, i) => {
      expect(height / first.height).toBeCloseTo(counts[i]! / counts[0]!, 0);
    });
    // The first and the last one whole, within the frame.
    const last = bars.at(-1)!;
    expect(last.width).toBeCloseTo(first.width);
    expect(last.x + last.width).toBeLessThanOrEqual(400);
    expect(inkOf('scatter-chart').filled).toEqual([]);
  });
});
