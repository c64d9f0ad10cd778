// "Predict on new data": another file goes through the finished run's model, and the predictions come down as CSV.

import type { NewPredictions } from '../messages/evaluation.ts';
import { isSearching } from '../messages/search.ts';
import type { RunState } from '../messages/state.ts';
import { counted, t } from '../texts.ts';
import { make, setHidden, setText } from './dom.ts';
import { download } from './downloads.ts';
import { makeFileInput, sourceOf } from './file_input.ts';
import type { Picked } from './file_input.ts';
import { formatCount, shorten } from './format.ts';
import { reasonOf } from './page.ts';
import type { Actions } from './page.ts';
import { inLanguage, SaidLine } from './said.ts';
import { once, testIds } from './testids.ts';

export class PredictCard {
  readonly element: HTMLElement;
  readonly #actions: Pick<Actions, 'ask'>;
  readonly #busy = make('progress', { hidden: true, 'aria-label': t('predicting') });
  readonly #done = make('p', { class: 'small', role: 'status', ...once(testIds.predicted) });
  readonly #unseen = make('ul', { class: 'small muted', ...once(testIds.unseen) });
  readonly #problem = new SaidLine({ class: 'problem', name: testIds.predictProblem });
  readonly #input: HTMLInputElement | null;
  #run: string | null = null;

  constructor(actions: Pick<Actions, 'ask'>) {
    this.#actions = actions;
    const input = makeFileInput(t('predictFile'), once(testIds.predictFile), (picked) => {
      void this.#predict(picked);
    });
    this.#input = input.querySelector('input');
    this.#problem.element.setAttribute('role', 'alert');
    this.#problem.show({ text: '', detail: null });
    this.element = make(
      'section',
      { class: 'card', hidden: true, 'aria-label': t('predictNew') },
      make('h2', {}, t('predictNew')),
      make('p', { class: 'muted small' }, t('predictHelp')),
      make('div', {}, input),
      this.#busy,
      this.#problem.element,
      this.#done,
      this.#unseen,
    );
  }

  update(state: RunState): void {
    const { phase, run } = state;
    setHidden(this.element, phase !== 'finished' || run === null || isSearching(state));
    if (run === this.#run) return;
    this.#run = run;
    this.#say(null);
  }

  async #predict(picked: Picked): Promise<void> {
    const run = this.#run;
    this.#say(null);
    this.#work(true);
    try {
      const source = sourceOf(picked);
      const predictions = await this.#actions.ask({ type: 'predictions.make', source });
      if (run !== this.#run) return;
      download(predictions);
      this.#say(predictions);
    } catch (error) {
      if (run !== this.#run) return;
      const { code, message } = reasonOf(error);
      this.#problem.show(inLanguage(code, message));
    } finally {
      this.#work(false);
    }
  }

  #work(busy: boolean): void {
    setHidden(this.#busy, !busy);
    if (this.#input !== null) this.#input.disabled = busy;
  }

  #say(predictions: NewPredictions | null): void {
    this.#problem.show({ text: '', detail: null });
    const { name, rows, unseen } = predictions ?? { name: '', rows: 0, unseen: [] };
    setText(this.#done, predictions === null ? '' : counted('predictedRows', rows, name));
    const lines = unseen.map((one) => {
      const example = shorten(one.example, 40);
      return make('li', {}, t('unseenValues', one.column, example, formatCount(one.rows)));
    });
    this.#unseen.replaceChildren(...lines);
    setHidden(this.#unseen, lines.length === 0);
  }
}
