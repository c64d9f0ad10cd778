// "Search for better settings": which fields a search varies, how many candidates it tries, and what that takes, folded
// away in the set-up beside Train.
import { KEPT_OF, rungsFor, totalEpochs } from '../messages/search.ts';
import type { SearchRange } from '../messages/search.ts';
import type { ModelDescription, RunConfig, RunState } from '../messages/state.ts';
import { trialKey, trialOf } from '../messages/trial.ts';
import type { Choices } from './choices.ts';
import { make, on, setDisabled, setHidden, setText, syncList } from './dom.ts';
import { SelectField } from './fields.ts';
import { formatCount, formatDuration, formatFactor, formatValue } from './format.ts';
import type { Actions } from './page.ts';
import { rangesFor } from './search_fields.ts';
import type { Settings } from './settings.ts';
import { each, once, testIds } from './testids.ts';
import { counted, joinWords, t } from '../texts.ts';

/** Powers of the part that goes on, so that one is left in the end. */
const COUNTS = [KEPT_OF, KEPT_OF ** 2, KEPT_OF ** 3];
const USUAL = KEPT_OF ** 2;

export interface SearchShown {
  state: RunState;
  choices: Choices;
  model: ModelDescription | undefined;
  settings: Settings;
  /** The run as it is set; null while something stands against it, or it is beginning. */
  config: RunConfig | null;
}

export class SearchSetup {
  readonly element: HTMLElement;
  readonly #actions: Pick<Actions, 'run'>;
  readonly #list = make('ul', { class: 'varied' });
  readonly #count: SelectField;
  readonly #cost = make('p', { class: 'muted small', role: 'status', ...once(testIds.searchCost) });
  readonly #start = make(
    'button',
    { type: 'button', ...once(testIds.searchStart) },
    t('searchStart'),
  );
  /** Fields that a person has left out. */
  readonly #without = new Set<string>();
  #trials = USUAL;
  #shown: SearchShown | null = null;

  constructor(actions: Pick<Actions, 'run'>) {
    this.#actions = actions;
    this.#count = new SelectField({
      label: t('searchTrials'),
      name: testIds.searchTrials,
      change: (value) => {
        this.#trials = Number(value);
        this.#showCost();
      },
    });
    on(this.#start, 'click', () => void this.#begin());
    this.element = make(
      'details',
      {},
      make('summary', { ...once(testIds.search) }, t('searchTitle')),
      make(
        'div',
        { class: 'stack' },
        make('p', { class: 'muted small' }, t('searchHelp')),
        make(
          'fieldset',
          { class: 'field' },
          make('legend', { class: 'muted small' }, t('searchVary')),
          this.#list,
        ),
        this.#count.element,
        this.#cost,
        make('div', { class: 'actions' }, this.#start),
      ),
    );
  }

  show(shown: SearchShown): void {
    this.#shown = shown;
    const ranges = this.#all;
    syncList(
      this.#list,
      ranges,
      ({ field }) => field,
      ({ field, label }) => this.#makeRow(field, label),
      (row, range) => {
        const [span] = row.getElementsByClassName('muted');
        if (span !== undefined) setText(span, spanOf(range));
      },
    );
    this.#count.show(
      COUNTS.map((count) => ({ value: String(count), label: formatCount(count) })),
      String(this.#trials),
    );
    this.#showCost();
  }

  get #all(): SearchRange[] {
    if (this.#shown === null) return [];
    const { choices, model, settings } = this.#shown;
    return rangesFor(choices, model, settings);
  }

  get #chosen(): SearchRange[] {
    return this.#all.filter(({ field }) => !this.#without.has(field));
  }

  #makeRow(field: string, label: string): HTMLLIElement {
    const box = make('input', {
      type: 'checkbox',
      'data-field': field,
      ...each(testIds.searchField),
    });
    box.checked = !this.#without.has(field);
    on(box, 'change', () => {
      if (box.checked) this.#without.delete(field);
      else this.#without.add(field);
      this.#showCost();
    });
    const row = make(
      'label',
      {},
      box,
      make('span', { class: 'clip' }, label),
      make('span', { class: 'muted small' }),
    );
    return make('li', {}, row);
  }

  #showCost(): void {
    if (this.#shown === null) return;
    const { config, state, choices, settings } = this.#shown;
    const able = config !== null && this.#chosen.length > 0;
    setDisabled(this.#start, !able);
    setHidden(this.#cost, config === null);
    if (config === null) return;
    if (this.#chosen.length === 0) {
      setText(this.#cost, t('searchNothing'));
      return;
    }
    const epochs = settings.number('epochs', choices.given);
    const all = totalEpochs(rungsFor(this.#trials, epochs));
    const words = counted('searchEpochs', all, formatFactor(all / epochs));
    const measured = trialOf(state.trials, trialKey(config))?.measured;
    const seconds = measured && formatDuration(measured.secondsPerEpoch * all);
    setText(this.#cost, seconds == null ? words : `${words} ${t('searchTakes', seconds)}`);
  }

  async #begin(): Promise<void> {
    const [config, ranges] = [this.#shown?.config, this.#chosen];
    if (config == null || ranges.length === 0) return;
    setDisabled(this.#start, true);
    await this.#actions.run({ type: 'search.start', config, ranges, trials: this.#trials });
    this.#showCost();
  }
}

/** "0.0003 to 0.03", "16, 32, and 64". */
function spanOf(range: SearchRange): string {
  if (range.kind === 'list') return joinWords(range.values.map(formatValue));
  return t('searchBetween', formatValue(range.least), formatValue(range.most));
}
