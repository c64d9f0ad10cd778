// How a run learns, in figures beside its curves: learning rate, length of the gradient, the task's own measure, pace
// and time left, device, and the memory that it takes.

import { isActive } from '../messages/state.ts';
import type { RunState } from '../messages/state.ts';
import { t } from '../texts.ts';
import { make, setHidden, setText } from './dom.ts';
import { formatBytes, formatLoss, missing } from './format.ts';
import { metricOf } from './metric.ts';
import { viewRun } from './run_view.ts';
import { once, testIds } from './testids.ts';
import type { TestId } from './testids.ts';

interface Figure {
  label: string;
  name: TestId;
  /** Where what it is called depends on the run. */
  heading?: (state: RunState) => string;
  value: (state: RunState) => string;
}

const figures = (): Figure[] => [
  {
    label: t('learningRateNow'),
    name: testIds.learningRateNow,
    value: ({ progress }) => formatLoss(progress?.learningRate),
  },
  {
    label: t('gradientNorm'),
    name: testIds.gradientNorm,
    value: ({ progress }) => formatLoss(progress?.gradientNorm),
  },
  {
    label: t('meanError'),
    name: testIds.meanError,
    heading: (state) => metricOf(state).label,
    value: (state) => metricOf(state).value,
  },
  {
    label: t('deviceMemory'),
    name: testIds.deviceMemory,
    value: ({ progress }) => formatBytes(progress?.peakBytes),
  },
  {
    label: t('programMemory'),
    name: testIds.programMemory,
    value: ({ progress }) => formatBytes(progress?.heapBytes),
  },
];

export class RunFigures {
  readonly element: HTMLElement;
  readonly #rows: { name: HTMLElement; element: HTMLElement; figure: Figure }[] = [];
  readonly #pace = make('p', { class: 'small muted', ...once(testIds.pace) });

  constructor() {
    const rows = figures().flatMap((figure) => {
      const element = make('dd', { class: 'number', ...once(figure.name) }, missing);
      const name = make('dt', {}, figure.label);
      this.#rows.push({ name, element, figure });
      return [name, element];
    });
    this.element = make(
      'section',
      { class: 'card stack', hidden: true, 'aria-label': t('runFigures') },
      make('h2', {}, t('runFigures')),
      make('dl', { class: 'pairs' }, ...rows),
      this.#pace,
    );
  }

  update(state: RunState): void {
    setHidden(this.element, state.progress === null);
    if (state.progress === null) return;
    for (const { name, element, figure } of this.#rows) {
      setText(name, figure.heading?.(state) ?? figure.label);
      setText(element, figure.value(state));
    }
    const { stepsPerSecond, timeLeft, device } = viewRun(state);
    const under = isActive(state.phase);
    setText(this.#pace, under ? t('pace', stepsPerSecond, timeLeft, device) : device);
  }
}
