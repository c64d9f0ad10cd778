// The parts of the set-up that follow the data: the list of columns, the choice of what to forecast, and the model's
// own fields as the registry names them.

import type {
  DatasetDescription,
  FieldValue,
  ModelDescription,
  ModelField,
} from '../messages/state.ts';
import { whyNotTarget } from './choices.ts';
import type { Choices, Problems } from './choices.ts';
import { otherKind, viewColumns } from './columns.ts';
import type { ColumnView } from './columns.ts';
import { make, on, setHidden, setText } from './dom.ts';
import { CheckField, NumberField, SelectField } from './fields.ts';
import { partLabel } from './described.ts';
import { words } from './settings.ts';
import { each, once, testIds } from './testids.ts';
import { counted, t } from '../texts.ts';

export interface Part {
  element: HTMLElement;
  show: (choices: Choices, problems: Problems) => void;
}

export type Change = (change: Partial<Choices>) => void;

/** More than these are looked through by name. */
const MOST_ROWS = 100;

/**
 * Each column with its type and one statistic; number columns can be ticked as what to learn from. Of a wide table the
 * first columns are shown, or those whose names have what was typed.
 */
export class ColumnList implements Part {
  readonly element: HTMLElement;
  readonly #label = make('span');
  readonly #problem = make('p', { class: 'problem', role: 'status' });
  readonly #columns: ColumnView[];
  readonly #filter = make('input', {
    type: 'search',
    'aria-label': t('findColumn'),
    placeholder: t('findColumn'),
    ...once(testIds.columnFilter),
  });
  readonly #list = make('ul', { class: 'columns', ...once(testIds.features) });
  readonly #rest = make('p', { class: 'hint', role: 'status', ...once(testIds.columnsLeft) });
  readonly #change: Change;
  #boxes: HTMLInputElement[] = [];
  #chosen: ReadonlySet<string> = new Set();

  constructor(description: DatasetDescription, change: Change) {
    this.#change = change;
    this.#columns = viewColumns(description);
    const legend = make('legend', { class: 'muted small' }, this.#label);
    this.element = make(
      'fieldset',
      { class: 'field' },
      legend,
      this.#filter,
      this.#list,
      this.#rest,
      this.#problem,
    );
    on(this.#filter, 'input', () => {
      this.#fill();
    });
    setHidden(this.#filter, this.#columns.length <= MOST_ROWS);
    this.#fill();
  }

  #fill(): void {
    const wanted = this.#filter.value.trim().toLowerCase();
    const found = this.#columns.filter(({ name }) => name.toLowerCase().includes(wanted));
    this.#boxes = [];
    const rows = found.slice(0, MOST_ROWS).map((column) => this.#makeRow(column));
    this.#list.replaceChildren(...rows);
    const left = found.length - rows.length;
    setHidden(this.#rest, left === 0 && found.length > 0);
    setText(this.#rest, found.length === 0 ? t('noColumnFound') : counted('columnsLeft', left));
  }

  show({ features }: Choices, problems: Problems): void {
    this.#chosen = new Set(features);
    for (const box of this.#boxes) box.checked = this.#chosen.has(columnOf(box));
    setText(this.#label, counted('learnFrom', features.length));
    setHidden(this.#problem, problems['features'] === undefined);
    setText(this.#problem, problems['features'] ?? '');
  }

  #makeRow({ name, type, typeLabel, statistic, usable }: ColumnView): HTMLLIElement {
    const box = make('input', {
      type: 'checkbox',
      disabled: !usable,
      'data-column': name,
      ...each(testIds.feature),
    });
    box.checked = this.#chosen.has(name);
    on(box, 'change', () => {
      const isChosen = (column: string): boolean =>
        column === name ? box.checked : this.#chosen.has(column);
      const features = this.#columns.map((column) => column.name).filter(isChosen);
      this.#change({ features });
    });
    this.#boxes.push(box);
    const title = usable ? name : t('onlyNumbersLearn', name);
    return make(
      'li',
      { 'data-usable': String(usable), 'data-column': name, ...each(testIds.columnRow) },
      make(
        'label',
        { title },
        box,
        make('span', { class: 'clip' }, name),
        make('span', { class: 'type', 'data-type': type }, typeLabel),
        make('span', { class: 'statistic clip', title: statistic }, statistic),
      ),
    );
  }
}

function columnOf(box: HTMLInputElement): string {
  return box.dataset['column'] ?? '';
}

/** What to forecast: the other columns stand in the list too, disabled, with the reason. */
export class TargetField implements Part {
  readonly element: HTMLElement;
  readonly #field: SelectField;
  readonly #gaps = make('p', { class: 'hint', hidden: true });
  readonly #columns: DatasetDescription['columns'];

  constructor({ columns }: DatasetDescription, change: Change) {
    this.#columns = columns;
    this.#field = new SelectField({
      label: t('forecastField'),
      name: testIds.target,
      wide: true,
      change: (target) => {
        change({ target });
      },
    });
    this.element = this.#field.element;
    this.element.append(this.#gaps);
  }

  show({ target }: Choices, problems: Problems): void {
    const options = this.#columns.map(({ name, type }) =>
      type === 'number'
        ? { value: name, label: name }
        : { value: name, label: t('notNumbers', name, otherKind(type)), disabled: true },
    );
    const column = this.#columns.find(({ name }) => name === target);
    this.#field.show(options, target);
    this.#field.setProblem(problems['target'] ?? whyNotTarget(column) ?? undefined);
    const gaps = column?.missing ?? 0;
    setHidden(this.#gaps, gaps === 0);
    setText(this.#gaps, counted('gapsInColumn', gaps));
  }
}

/** From the registry's table: a new model's fields need no line here. */
export class ModelFields implements Part {
  readonly element = make('div', { class: 'fields' });
  readonly #models: readonly ModelDescription[];
  readonly #change: Change;
  #model = '';
  #fields: Choices['fields'] = {};
  #shows: Part['show'][] = [];

  constructor(models: readonly ModelDescription[], change: Change) {
    this.#models = models;
    this.#change = change;
  }

  show(choices: Choices, problems: Problems): void {
    this.#fields = choices.fields;
    if (choices.model !== this.#model) this.#build(choices.model);
    for (const show of this.#shows) show(choices, problems);
  }

  #build(name: string): void {
    this.#model = name;
    this.#shows = [];
    const model = this.#models.find((other) => other.name === name);
    this.element.replaceChildren(...(model?.fields ?? []).map((field) => this.#makeField(field)));
  }

  #makeField({ name, type, min, max, choices, help }: ModelField): HTMLElement {
    const attributes = { ...each(testIds.modelField), 'data-field': name };
    const change = (value: FieldValue): void => {
      this.#change({ fields: { ...this.#fields, [name]: value } });
    };
    const options = { label: partLabel(name), hint: help, attributes, change };
    if (type === 'bool') {
      const field = new CheckField(options);
      this.#shows.push(({ fields }) => {
        field.show(fields[name] === true);
      });
      return field.element;
    }
    if (type === 'choice') {
      const field = new SelectField(options);
      const offered = choices.map((value) => ({ value, label: words(value) }));
      this.#shows.push(({ fields }) => {
        field.show(offered, String(fields[name]));
      });
      return field.element;
    }
    const field = new NumberField({
      ...options,
      whole: type === 'int',
      min: min ?? undefined,
      max: max ?? undefined,
    });
    this.#shows.push(({ fields }, problems) => {
      const value = fields[name];
      field.show(typeof value === 'number' ? value : NaN);
      field.setProblem(problems[`field:${name}`]);
    });
    return field.element;
  }
}
