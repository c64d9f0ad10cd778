// The parts of the set-up that follow the data: the list of columns, the choice of what to forecast, and the model's
// own fields as the registry names them.

import type {
  ColumnDescription,
  DatasetDescription,
  FieldValue,
  ModelDescription,
  ModelField,
  SettingField,
} from '../messages/state.ts';
import { taskOf } from './choices.ts';
import type { Choices, Problems } from './choices.ts';
import { otherKind, viewColumn } from './columns.ts';
import { make, on, setAttribute, setDisabled, setHidden, setText } from './dom.ts';
import { CheckField, NumberField, SelectField } from './fields.ts';
import { partLabel } from './described.ts';
import { words } from './settings.ts';
import {
  canLearnFrom,
  isOfTables,
  TASK,
  taskNamed,
  tasksFor,
  whyNotLearnFrom,
  whyNotTarget,
} from './tasks.ts';
import type { TaskName } from './tasks.ts';
import { each, once, settingId, testIds } from './testids.ts';
import { counted, t } from '../texts.ts';

export interface Part {
  element: HTMLElement;
  show: (choices: Choices, problems: Problems) => void;
}

export type Change = (change: Partial<Choices>) => void;

/** More than these are looked through by name. */
const MOST_ROWS = 100;

/**
 * Each column with its type and one statistic; what the task can learn from can be ticked. Of a wide table the
 * first columns are shown, or those whose names have what was typed.
 */
export class ColumnList implements Part {
  readonly element: HTMLElement;
  readonly #label = make('span');
  readonly #problem = make('p', { class: 'problem', role: 'status' });
  readonly #columns: DatasetDescription['columns'];
  readonly #filter = make('input', {
    type: 'search',
    'aria-label': t('findColumn'),
    placeholder: t('findColumn'),
    ...once(testIds.columnFilter),
  });
  readonly #list = make('ul', { class: 'columns', ...once(testIds.features) });
  readonly #rest = make('p', { class: 'hint', role: 'status', ...once(testIds.columnsLeft) });
  readonly #change: Change;
  #rows: ShownColumn[] = [];
  #chosen: ReadonlySet<string> = new Set();
  #choices: Choices | null = null;

  constructor(description: DatasetDescription, change: Change) {
    this.#change = change;
    this.#columns = description.columns;
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
    this.#rows = found.slice(0, MOST_ROWS).map((column) => this.#makeRow(column));
    this.#list.replaceChildren(...this.#rows.map(({ row }) => row));
    for (const row of this.#rows) this.#showRow(row);
    const left = found.length - this.#rows.length;
    setHidden(this.#rest, left === 0 && found.length > 0);
    setText(this.#rest, found.length === 0 ? t('noColumnFound') : counted('columnsLeft', left));
  }

  show(choices: Choices, problems: Problems): void {
    const { features } = choices;
    this.#choices = choices;
    this.#chosen = new Set(features);
    for (const row of this.#rows) this.#showRow(row);
    setText(this.#label, counted('learnFrom', features.length));
    setHidden(this.#problem, problems['features'] === undefined);
    setText(this.#problem, problems['features'] ?? '');
  }

  #showRow({ column, box, row, label }: ShownColumn): void {
    if (this.#choices === null) return;
    const task = taskOf(this.#choices);
    const able = canLearnFrom(column, task, this.#choices.target);
    box.checked = able && this.#chosen.has(column.name);
    setDisabled(box, !able);
    setAttribute(row, 'data-usable', String(able));
    setAttribute(label, 'title', (able ? null : whyNotLearnFrom(column, task)) ?? column.name);
  }

  #makeRow(column: ColumnDescription): ShownColumn {
    const { name, type, typeLabel, statistic } = viewColumn(column);
    const box = make('input', {
      type: 'checkbox',
      'data-column': name,
      ...each(testIds.feature),
    });
    on(box, 'change', () => {
      const isChosen = (other: string): boolean =>
        other === name ? box.checked : this.#chosen.has(other);
      const features = this.#columns.map((other) => other.name).filter(isChosen);
      this.#change({ features });
    });
    const label = make(
      'label',
      {},
      box,
      make('span', { class: 'clip' }, name),
      make('span', { class: 'type', 'data-type': type }, typeLabel),
      make('span', { class: 'statistic clip', title: statistic }, statistic),
    );
    const row = make('li', { 'data-column': name, ...each(testIds.columnRow) }, label);
    return { column, box, row, label };
  }
}

interface ShownColumn {
  column: ColumnDescription;
  box: HTMLInputElement;
  row: HTMLElement;
  label: HTMLElement;
}

/** What to predict: the other columns stand in the list too, disabled, with the reason. */
export class TargetField implements Part {
  readonly element: HTMLElement;
  readonly #field: SelectField;
  readonly #gaps = make('p', { class: 'hint', hidden: true });
  readonly #columns: DatasetDescription['columns'];

  constructor({ columns }: DatasetDescription, choose: (target: string) => void) {
    this.#columns = columns;
    this.#field = new SelectField({
      label: t('forecastField'),
      name: testIds.target,
      wide: true,
      change: choose,
    });
    this.element = this.#field.element;
    this.element.append(this.#gaps);
  }

  show(choices: Choices, problems: Problems): void {
    const { target } = choices;
    const options = this.#columns.map((one) => {
      const { name, type } = one;
      if (tasksFor(one).length > 0) return { value: name, label: name };
      const label =
        type === 'number' || type === 'category' ? name : t('notNumbers', name, otherKind(type));
      return { value: name, label, disabled: true };
    });
    const column = this.#columns.find(({ name }) => name === target);
    this.#field.show(options, target);
    this.#field.setProblem(problems['target'] ?? whyNotTarget(column) ?? undefined);
    const gaps = column?.missing ?? 0;
    setHidden(this.#gaps, gaps === 0);
    setText(
      this.#gaps,
      counted(isOfTables(taskOf(choices)) ? 'gapsInTarget' : 'gapsInColumn', gaps),
    );
  }
}

/** Found from the data and the target; what a target does not go with is disabled. */
export class TaskField implements Part {
  readonly element: HTMLElement;
  readonly #field: SelectField;
  readonly #choices: SettingField['choices'];
  readonly #columns: DatasetDescription['columns'];

  constructor(
    { label, help, choices }: SettingField,
    { columns }: DatasetDescription,
    choose: (task: TaskName) => void,
  ) {
    this.#choices = choices;
    this.#columns = columns;
    this.#field = new SelectField({
      label,
      hint: help,
      name: settingId(TASK),
      wide: true,
      change: (value) => {
        const task = taskNamed(value);
        if (task !== null) choose(task);
      },
    });
    this.element = this.#field.element;
  }

  show(choices: Choices): void {
    const possible = tasksFor(this.#columns.find(({ name }) => name === choices.target));
    const options = this.#choices.flatMap(({ value, label }) => {
      const task = taskNamed(value);
      return task === null ? [] : [{ value, label, disabled: !possible.includes(task) }];
    });
    this.#field.show(options, taskOf(choices));
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
