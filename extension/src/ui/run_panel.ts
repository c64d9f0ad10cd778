// The figures of a run, how hard it works, and its buttons. Figures change in place many times a second, so they are not announced; one
// sentence an epoch is (see announcer.ts).

import { isActive } from '../messages/state.ts';
import type { RunState } from '../messages/state.ts';
import { make, on, setDisabled, setHidden, setText } from './dom.ts';
import { SelectField } from './fields.ts';
import type { Actions, Snapshot } from './page.ts';
import { viewRun } from './run_view.ts';
import type { RunView } from './run_view.ts';
import { missing } from './format.ts';
import { metricOf } from './metric.ts';
import { saveCheckpoint } from './saving.ts';
import { once, testIds } from './testids.ts';
import type { TestId } from './testids.ts';
import { t } from '../texts.ts';
import type { TextKey } from '../texts.ts';

type FigureKey = Exclude<keyof RunView, 'fraction' | 'can' | 'task'>;
/** The setting that may change while the run is under way. */
const EFFORT = 'effort';

const mainFigures: [FigureKey, TextKey, TestId][] = [
  ['epoch', 'figureEpoch', testIds.epoch],
  ['step', 'figureStep', testIds.step],
  ['timeLeft', 'figureTimeLeft', testIds.timeLeft],
  ['loss', 'figureLoss', testIds.loss],
  ['validationLoss', 'figureValidationLoss', testIds.validationLoss],
  ['stepsPerSecond', 'figureStepsPerSecond', testIds.stepsPerSecond],
];

export class RunPanel {
  readonly element: HTMLElement;
  readonly #task = make('p', { class: 'muted small' });
  readonly #bar = make('progress', {
    max: 1,
    'aria-label': t('donePart'),
    ...once(testIds.progress),
  });
  readonly #device = make('strong', { ...once(testIds.device) });
  readonly #reason = make('span', { class: 'muted', ...once(testIds.deviceReason) });
  readonly #machine = make('p', { class: 'small' }, this.#device, this.#reason);
  readonly #preparing = make('p', { class: 'small', ...once(testIds.preparing) });
  readonly #metric = make('p', { class: 'small', ...once(testIds.metric) });
  readonly #memory = make('p', { class: 'muted small', ...once(testIds.memory) });
  readonly #figures = new Map<FigureKey, HTMLElement>();
  readonly #effort: SelectField;

  constructor(actions: Actions) {
    this.#effort = new SelectField({
      label: t('effort'),
      name: testIds.effort,
      change: (effort) => void actions.run({ type: 'run.effort', effort }),
    });
    const figures = mainFigures.map(([key, label, name]) => {
      const value = make('dd', { class: 'number', ...once(name) });
      this.#figures.set(key, value);
      return make('div', { class: 'figure' }, make('dt', {}, t(label)), value);
    });
    this.element = make(
      'section',
      { class: 'stack', 'aria-label': t('run') },
      this.#task,
      this.#bar,
      this.#preparing,
      make('dl', { class: 'figures' }, ...figures),
      this.#metric,
      this.#machine,
      this.#memory,
      this.#effort.element,
    );
  }

  update(state: RunState): void {
    const view = viewRun(state);
    setText(this.#task, view.task);
    if (view.fraction === null) this.#bar.removeAttribute('value');
    else this.#bar.value = view.fraction;
    for (const [key, element] of this.#figures) setText(element, view[key]);
    const metric = metricOf(state);
    setText(this.#metric, t('labelled', metric.label, metric.value));
    setHidden(this.#metric, metric.value === missing);
    setText(this.#preparing, view.preparing);
    setHidden(this.#preparing, view.preparing === '');
    setText(this.#device, view.device);
    setText(this.#reason, view.deviceReason === '' ? '' : `: ${view.deviceReason}`);
    setHidden(this.#machine, state.device === null);
    setText(this.#memory, t('memoryOf', view.memory));
    setHidden(this.#memory, state.progress === null);
    this.#showEffort(state);
  }

  #showEffort({ settings, config, phase }: RunState): void {
    const field = settings.find(({ group, name }) => group === 'training' && name === EFFORT);
    const changeable = field !== undefined && isActive(phase) && phase !== 'preparing';
    setHidden(this.#effort.element, !changeable);
    if (changeable)
      this.#effort.show(field.choices, String(config?.training[EFFORT] ?? field.default));
  }
}

/** Pause or Resume, Stop, Save now: each shown only where it makes sense. */
export class RunButtons {
  readonly element: HTMLElement;
  readonly #pause = make(
    'button',
    { type: 'button', class: 'grow', ...once(testIds.pause) },
    t('pause'),
  );
  readonly #resume = make(
    'button',
    { type: 'button', class: 'primary grow', ...once(testIds.resume) },
    t('resume'),
  );
  readonly #stop = make(
    'button',
    { type: 'button', class: 'danger', ...once(testIds.stop) },
    t('stop'),
  );
  readonly #save = make('button', { type: 'button', ...once(testIds.save) }, t('saveNow'));

  constructor(actions: Actions) {
    on(this.#pause, 'click', () => void actions.run({ type: 'run.pause' }));
    on(this.#resume, 'click', () => void actions.run({ type: 'run.resume' }));
    on(this.#stop, 'click', () => void actions.run({ type: 'run.stop' }));
    on(this.#save, 'click', () => void saveCheckpoint(actions));
    this.element = make(
      'div',
      { class: 'actions' },
      this.#pause,
      this.#resume,
      this.#save,
      this.#stop,
    );
  }

  update(state: RunState, busy: Snapshot['busy']): void {
    const { can } = viewRun(state);
    const focused = document.activeElement;
    setHidden(this.#pause, !can.pause);
    setHidden(this.#resume, !can.resume);
    setHidden(this.#stop, !can.stop);
    setDisabled(this.#pause, busy.has('run.pause'));
    setDisabled(this.#resume, busy.has('run.resume'));
    setDisabled(this.#stop, busy.has('run.stop'));
    setDisabled(this.#save, !can.save || busy.has('checkpoint.save'));
    setText(this.#save, busy.has('checkpoint.save') ? t('saving') : t('saveNow'));
    // A button that gives way to its opposite passes the keyboard's focus on.
    if (focused === this.#pause && this.#pause.hidden) this.#resume.focus();
    else if (focused === this.#resume && this.#resume.hidden) this.#pause.focus();
  }
}
