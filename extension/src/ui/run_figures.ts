// How a run learns, in figures beside its curves: learning rate, length of the gradient, the task's own measure, pace
// and time left, device, and the memory that it takes.

import { isActive } from '../messages/state.ts';
import type { RunState } from '../messages/state.ts';
import { t } from '../texts.ts';
import { make, setHidden, setText } from './dom.ts';
import { formatBytes, formatLoss, formatValue, missing } from './format.ts';
import { viewRun } from './run_view.ts';
import { once, testIds } from './testids.ts';
import type { TestId } from './testids.ts';

interface Figure {
  label: string;
  name: TestId;
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
  { label: t('meanError'), name: testIds.meanError, value: errorOf },
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
  readonly #values: { element: HTMLElement; value: Figure['value'] }[] = [];
  readonly #pace = make('p', { class: 'small muted', ...once(testIds.pace) });

  constructor() {
    const rows = figures().flatMap(({ label, name, value }) => {
      const element = make('dd', { class: 'number', ...once(name) }, missing);
      this.#values.push({ element, value });
      return [make('dt', {}, label), element];
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
    for (const { element, value } of this.#values) setText(element, value(state));
    const { stepsPerSecond, timeLeft, device } = viewRun(state);
    const under = isActive(state.phase);
    setText(this.#pace, under ? t('pace', stepsPerSecond, timeLeft, device) : device);
  }
}

/** Of the newest validated epoch, in the data's own units. */
function errorOf({ history }: RunState): string {
  const last = history.epochs.findLast(({ mae }) => mae !== null);
  return last === undefined ? missing : formatValue(last.mae);
}
