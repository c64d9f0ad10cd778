// The set-up of a run: what was read, which columns to learn from, what to predict, and how. The form is made once a
// file; afterwards only values, problems and the button change.

import type {
  DatasetDescription,
  ModelField,
  RunConfig,
  RunState,
  SettingField,
} from '../messages/state.ts';
import { makeArrayChoice } from './array_choice.ts';
import {
  checkChoices,
  choicesFromConfig,
  defaultChoices,
  defaultFields,
  sizeField,
  sizeOf,
  sizes,
  taskOf,
  toRunConfig,
  withTarget,
  withTask,
} from './choices.ts';
import type { Choices } from './choices.ts';
import { shapeOf } from './columns.ts';
import { make, on, setAttribute, setDisabled, setHidden, setText } from './dom.ts';
import { identityOf, loadDraft, saveDraft } from './draft.ts';
import { Segments, SelectField } from './fields.ts';
import { shorten } from './format.ts';
import type { Actions } from './page.ts';
import { Preflight } from './preflight.ts';
import { Repairs } from './repairs.ts';
import { SearchSetup } from './search_setup.ts';
import { makeSection, sectionsOf } from './sections.ts';
import { SettingControl } from './setting_fields.ts';
import { onThisMachine, Settings } from './settings.ts';
import { ColumnList, ModelFields, TargetField, TaskField } from './setup_parts.ts';
import type { Part } from './setup_parts.ts';
import { modelsFor, TASK } from './tasks.ts';
import type { TaskName } from './tasks.ts';
import { once, testIds } from './testids.ts';
import { t } from '../texts.ts';

export interface SetupOptions {
  actions: Pick<Actions, 'ask' | 'run'>;
  train: (config: RunConfig) => void;
  close: () => void;
  /** Has other arrays of the open archive read. */
  chooseArrays: (names: string[]) => void;
  /** Where a search is begun, when that is not here. */
  searchElsewhere: (() => void) | null;
  storage: Storage;
}

export class Setup {
  readonly element = make('div', { class: 'stack' });
  /** Stands in the page's foot, always in view. */
  readonly actions: HTMLElement;
  readonly #options: SetupOptions;
  readonly #train = make('button', {
    type: 'button',
    class: 'primary grow',
    ...once(testIds.train),
  });
  readonly #close = make('button', { type: 'button', ...once(testIds.newFile) }, t('otherFile'));
  readonly #preflight: Preflight;
  readonly #search: SearchSetup | null;
  #identity = '';
  #state: RunState | null = null;
  #settings = new Settings([]);
  #choices: Choices | null = null;
  #shown: Choices | null = null;
  #parts: Part[] = [];

  constructor(options: SetupOptions) {
    this.#options = options;
    this.#preflight = new Preflight(options.actions, this.#change);
    this.#search = options.searchElsewhere === null ? new SearchSetup(options.actions) : null;
    on(this.#train, 'click', () => {
      if (this.#choices !== null) options.train(toRunConfig(this.#choices, this.#settings));
    });
    on(this.#close, 'click', options.close);
    const buttons = make('div', { class: 'actions' }, this.#train, this.#close);
    this.actions = make('div', { class: 'stack tight grow' }, this.#preflight.told, buttons);
  }

  update(state: RunState, starting: boolean): void {
    this.#state = state;
    const described = state.models.length + state.settings.length;
    const identity = identityOf(state) + String(described) + JSON.stringify(state.offered);
    if (identity !== this.#identity) {
      this.#identity = identity;
      this.#build(state);
    }
    this.#show(starting);
  }

  #show(starting: boolean): void {
    const [state, choices] = [this.#state, this.#choices];
    if (choices === null || state?.description == null) return;
    const { description, models } = state;
    const model = models.find(({ name }) => name === choices.model);
    const problems = checkChoices(choices, description, model, this.#settings);
    // A state of the worker changes nothing in the form, not even while a field is about to be typed in.
    if (choices !== this.#shown) for (const part of this.#parts) part.show(choices, problems);
    this.#shown = choices;
    const sound = Object.keys(problems).length === 0;
    const lookBack = this.#settings.number('lookBack', choices.given);
    const config = sound && !starting ? toRunConfig(choices, this.#settings) : null;
    const fits = this.#preflight.show({ state, choices, model, lookBack, config });
    this.#search?.show({
      state,
      choices,
      model,
      settings: this.#settings,
      config: fits ? config : null,
    });
    setDisabled(this.#train, starting || !sound || !fits);
    setText(this.#train, starting ? t('startingRun') : t('train'));
  }

  readonly #change = (change: Partial<Choices>): void => {
    if (this.#choices === null) return;
    this.#choices = { ...this.#choices, ...change };
    saveDraft(this.#options.storage, this.#identity, this.#choices, this.#settings);
    this.#show(false);
  };

  #build(state: RunState): void {
    const { description, models, source } = state;
    const config = state.offered ?? state.config;
    this.#parts = [];
    this.#shown = null;
    if (description === null) return;
    const settings = new Settings(onThisMachine(state));
    this.#settings = settings;
    this.#choices =
      loadDraft(this.#options.storage, this.#identity, description, models, settings) ??
      (config === null
        ? defaultChoices(description, models)
        : choicesFromConfig(config, description, models, settings));
    const repairs = new Repairs();
    repairs.update(description);
    const name = source?.name ?? t('data');
    const title = make('h2', { class: 'clip', title: name, ...once(testIds.sourceName) });
    title.append(shorten(name, 44));
    const shape = make('p', { class: 'muted small', ...once(testIds.sourceShape) });
    shape.append(shapeOf(description, source));
    this.element.replaceChildren(
      make('div', { class: 'stack tight' }, title, shape),
      repairs.element,
      ...makeArrayChoice(state.arrays, this.#options.chooseArrays),
      this.#add(new ColumnList(description, this.#change)),
      make(
        'div',
        { class: 'fields' },
        this.#makeTarget(description),
        this.#makeTask(description),
        ...this.#controls(
          ({ group, place, name }) => place === 'front' && group === 'data' && name !== TASK,
        ),
        this.#makeModel(),
        this.#makeSize(),
        ...this.#controls(({ group, place }) => place === 'front' && group === 'training'),
      ),
      this.#preflight.element,
      this.#makeAdvanced(state),
      this.#search?.element ?? makeSearchElsewhere(this.#options.searchElsewhere),
    );
  }

  #add(part: Part): HTMLElement {
    this.#parts.push(part);
    return part.element;
  }

  #makeTarget(description: DatasetDescription): HTMLElement {
    const choose = (target: string): void => {
      if (this.#choices === null) return;
      this.#change(withTarget(this.#choices, target, description, this.#state?.models ?? []));
    };
    return this.#add(new TargetField(description, choose));
  }

  #makeTask(description: DatasetDescription): HTMLElement | null {
    const field = this.#settings.fields.find(({ name }) => name === TASK);
    if (field === undefined) return null;
    const choose = (task: TaskName): void => {
      if (this.#choices === null) return;
      this.#change(withTask(this.#choices, task, description, this.#state?.models ?? []));
    };
    return this.#add(new TaskField(field, description, choose));
  }

  #makeModel(): HTMLElement {
    const models = this.#state?.models ?? [];
    const field = new SelectField({
      label: t('model'),
      name: testIds.model,
      wide: true,
      change: (name) => {
        const model = models.find((other) => other.name === name);
        this.#change({ model: name, fields: defaultFields(model) });
      },
    });
    const help = make('p', { class: 'hint', ...once(testIds.modelHelp) });
    setAttribute(field.control, 'aria-describedby', help.id);
    field.element.append(help);
    const show = (choices: Choices): void => {
      const { model } = choices;
      const able = modelsFor(models, taskOf(choices));
      setHidden(field.element, able.length < 2);
      field.show(
        able.map(({ name, label }) => ({ value: name, label })),
        model,
      );
      setText(help, models.find(({ name }) => name === model)?.help ?? '');
    };
    return this.#add({ element: field.element, show });
  }

  #makeSize(): HTMLElement {
    const options = sizes.map(({ key, times }) => ({ value: String(times), label: t(key) }));
    const sizeOfModel = (name: string | undefined): ModelField | null =>
      sizeField(this.#state?.models.find((model) => model.name === name));
    const field = new Segments(t('modelSize'), testIds.modelSize, options, (value) => {
      const size = sizeOfModel(this.#choices?.model);
      if (size === null) return;
      const chosen = sizeOf(size, Number(value));
      this.#change({ fields: { ...this.#choices?.fields, [size.name]: chosen } });
    });
    const show = ({ model, fields }: Choices): void => {
      const size = sizeOfModel(model);
      setHidden(field.element, size === null);
      const chosen = sizes.find(
        ({ times }) => size !== null && fields[size.name] === sizeOf(size, times),
      );
      field.show(chosen === undefined ? null : String(chosen.times));
    };
    return this.#add({ element: field.element, show });
  }

  #makeAdvanced(state: RunState): HTMLElement {
    const own = this.#add(new ModelFields(state.models, this.#change));
    const summary = make('summary', { ...once(testIds.advanced) }, t('moreSettings'));
    const more = this.#settings.fields.filter(({ place }) => place === 'more');
    const sections = sectionsOf(more).map(({ key, fields }) => {
      const controls = fields.map((field) =>
        this.#add(new SettingControl(field, this.#settings, this.#change)),
      );
      return makeSection(t(key), make('div', { class: 'fields' }, ...controls));
    });
    const parts = [makeSection(t('model'), own), ...sections];
    return make('details', {}, summary, make('div', { class: 'stack sections' }, ...parts));
  }

  #controls(wanted: (field: SettingField) => boolean): HTMLElement[] {
    return this.#settings.fields
      .filter(wanted)
      .map((field) => this.#add(new SettingControl(field, this.#settings, this.#change)));
  }
}

function makeSearchElsewhere(go: (() => void) | null): HTMLElement {
  const button = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.searchElsewhere) },
    t('searchElsewhere'),
  );
  return on(button, 'click', () => {
    go?.();
  });
}
