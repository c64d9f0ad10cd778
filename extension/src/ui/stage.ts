// The part of a page that follows the run's phase: picking, reading, set-up, run, result. Only the current screen is
// in the document, so every control's id stands once. The dashboard and the popup place its two halves differently.

import type { Command } from '../messages/commands.ts';
import type { RunConfig, RunState } from '../messages/state.ts';
import { make, on } from './dom.ts';
import { Judged } from './judged.ts';
import { LossChart } from './loss_chart.ts';
import type { Actions, Snapshot } from './page.ts';
import { Picker } from './picker.ts';
import { FirstRowsPanel } from './first_rows.ts';
import { ReadingPanel } from './reading_panel.ts';
import { ResultButtons, ResultPanel } from './result_panel.ts';
import { RunButtons, RunPanel } from './run_panel.ts';
import { screenOf } from './run_view.ts';
import type { Screen } from './run_view.ts';
import { SearchButtons, SearchPanel } from './search_panel.ts';
import { Setup } from './setup.ts';
import { once, testIds } from './testids.ts';
import { t } from '../texts.ts';

export interface StageOptions {
  pickElsewhere: (() => void) | null;
  /** Where a search is begun, when that is not here. */
  searchElsewhere: (() => void) | null;
  /** Set where the loss chart belongs to the stage. */
  chart: LossChart | null;
  storage: Storage;
}

export class Stage {
  /** What is shown. */
  readonly body = make('div', { class: 'stack', tabindex: -1 });
  /** What can be done with it; empty when the body has its own buttons. */
  readonly foot = make('div', { class: 'foot' });
  readonly #chart: LossChart | null;
  readonly #waiting: Waiting;
  readonly #picker: Picker;
  readonly #reading = new ReadingPanel();
  readonly #firstRows = new FirstRowsPanel();
  readonly #cancel = make(
    'button',
    { type: 'button', ...once(testIds.cancelReading) },
    t('cancel'),
  );
  readonly #setup: Setup;
  readonly #search: SearchPanel;
  readonly #searchButtons: SearchButtons;
  readonly #run: RunPanel;
  readonly #runButtons: RunButtons;
  readonly #result: ResultPanel;
  /** What is known of the finished run's model. */
  readonly judged: Judged;
  readonly #resultButtons: ResultButtons;
  #screen: Screen | null = null;
  /** The run after which the person asked for new settings: until another starts, the worker still shows this one. */
  #again: string | null = null;
  #last: string | null = null;
  #state: RunState | null = null;

  constructor(actions: Actions, options: StageOptions) {
    this.#chart = options.chart;
    this.#waiting = new Waiting(actions);
    this.#picker = new Picker(actions, options);
    const send = (command: Command) => () => void actions.run(command);
    const close = send({ type: 'dataset.close' });
    on(this.#cancel, 'click', close);
    this.#setup = new Setup({
      actions,
      close,
      chooseArrays: (arrays) => {
        void actions.run({ type: 'dataset.arrays', arrays });
      },
      searchElsewhere: options.searchElsewhere,
      storage: options.storage,
      train: (config) => {
        void this.#start(actions, config);
      },
    });
    this.#search = new SearchPanel(actions);
    this.#searchButtons = new SearchButtons(actions);
    this.#run = new RunPanel(actions);
    this.#runButtons = new RunButtons(actions);
    this.judged = new Judged(actions);
    this.#result = new ResultPanel(() => {
      this.judged.again();
      this.#showResult();
    });
    this.judged.listen(() => {
      this.#showResult();
    });
    const again = (): void => {
      this.#again = this.#last;
      this.#place('setup');
    };
    this.#resultButtons = new ResultButtons(actions, again, close);
  }

  update(snapshot: Snapshot): void {
    const { state, busy } = snapshot;
    const screen = screenOf(state);
    this.#last = markOf(state);
    // A short run may have ended before this page has seen it begin.
    if (screen !== 'result' || this.#last !== this.#again) this.#again = null;
    const other = this.#again !== null || (screen === 'result' && state?.offered != null);
    this.#place(other ? 'setup' : screen);
    this.#waiting.update(snapshot);
    this.#state = state;
    if (state === null) return;
    this.#picker.update(snapshot);
    this.#reading.update(state);
    this.#firstRows.update(state);
    if (state.description !== null) this.#setup.update(state, busy.has('run.start'));
    if (this.#screen !== null) this.#search.update(state, this.#screen, busy);
    this.#searchButtons.update(busy);
    this.#showRun(state, busy);
  }

  async #start(actions: Actions, config: RunConfig): Promise<void> {
    if ((await actions.run({ type: 'run.start', config })) !== null) this.#again = null;
  }

  #showRun(state: RunState, busy: Snapshot['busy']): void {
    if (this.#screen === 'search') {
      this.judged.update(state);
      this.#chart?.update(state);
    }
    if (this.#screen !== 'run' && this.#screen !== 'result') return;
    this.#run.update(state);
    this.#runButtons.update(state, busy);
    this.judged.update(state);
    this.#showResult();
    this.#resultButtons.update(state, busy);
    this.#chart?.update(state);
  }

  #showResult(): void {
    if (this.#state !== null) this.#result.update(this.#state, this.judged.now);
  }

  #place(screen: Screen): void {
    if (screen === this.#screen) return;
    this.#screen = screen;
    const focused =
      this.body.contains(document.activeElement) || this.foot.contains(document.activeElement);
    const [body, foot] = this.#contents(screen);
    this.body.replaceChildren(...body);
    this.foot.replaceChildren(...foot);
    this.body.dataset['screen'] = screen;
    if (focused) this.body.focus({ preventScroll: true });
  }

  #contents(screen: Screen): [HTMLElement[], HTMLElement[]] {
    const chart = this.#chart === null ? [] : [this.#chart.element];
    switch (screen) {
      case 'waiting':
        return [[this.#waiting.element], []];
      case 'pick':
        return [[this.#search.element, this.#picker.element], []];
      case 'reading':
        return [[this.#reading.element, this.#firstRows.element], [this.#cancel]];
      case 'setup':
        return [[this.#search.element, this.#setup.element], [this.#setup.actions]];
      case 'search':
        return [[this.#search.element, ...chart], [this.#searchButtons.element]];
      case 'run':
        return [[...chart, this.#run.element], [this.#runButtons.element]];
      case 'result':
        return [
          [this.#search.element, this.#result.element, ...chart, this.#run.element],
          [this.#resultButtons.element],
        ];
    }
  }
}

/** Tells one run from another. */
function markOf(state: RunState | null): string {
  return JSON.stringify([state?.config, state?.progress?.step, state?.failure]);
}

/** Until the worker answers; when it does not, a button to try again (the reason stands in the notices). */
class Waiting {
  readonly #text = make('p', { class: 'muted' }, t('starting'));
  readonly #retry = make(
    'button',
    { type: 'button', hidden: true, ...once(testIds.retryConnection) },
    t('tryAgain'),
  );
  readonly #failed = make(
    'div',
    { class: 'stack', hidden: true },
    make('h2', {}, t('disconnectedTitle')),
    make('p', { class: 'muted' }, t('disconnected')),
  );
  readonly element = make('div', { class: 'stack waiting' }, this.#text, this.#failed, this.#retry);

  constructor(actions: Actions) {
    on(this.#retry, 'click', () => {
      actions.reconnect();
    });
  }

  update({ connection }: Snapshot): void {
    this.#text.hidden = connection === 'failed';
    this.#retry.hidden = connection !== 'failed';
    this.#failed.hidden = connection !== 'failed';
  }
}
