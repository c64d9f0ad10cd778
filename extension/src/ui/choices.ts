// What a person chooses before training, as plain data: sensible first choices from the columns, the check of each
// field with a sentence that says what is wrong, and the run's configuration made from them.

import type {
  DatasetDescription,
  FieldValue,
  ModelDescription,
  ModelField,
  RunConfig,
} from '../messages/state.ts';
import { formatCount } from './format.ts';
import { checkNumber } from './numbers.ts';
import type { Given, Settings } from './settings.ts';
import { rowSeconds } from './columns.ts';
import {
  featuresFor,
  isOfTables,
  likelyTarget,
  modelsFor,
  TASK,
  taskFor,
  taskNamed,
  tasksFor,
  whyNotTarget,
} from './tasks.ts';
import type { TaskName } from './tasks.ts';
import { proposalFor, trainingFor } from './proposal.ts';
import type { Proposal } from './proposal.ts';
import { t } from '../texts.ts';

export interface Choices {
  target: string;
  features: string[];
  model: string;
  /** Values of the model's own fields, by name. */
  fields: Record<string, FieldValue>;
  /** Values of the configuration's other fields that were given. */
  given: Given;
}

/** By 'target', 'features', `field:` and a model's field, `setting:` and another field. */
export type Problems = Partial<Record<string, string>>;

/** How many times as large as its model has it by default the field of its size is. */
export const sizes = [
  { key: 'sizeSmall', times: 0.5 },
  { key: 'sizeMedium', times: 1 },
  { key: 'sizeLarge', times: 2 },
] as const;

const sizeFieldNames = new Set(['hidden', 'channels', 'width']);

/** `models` are all there are. */
export function defaultChoices(
  description: DatasetDescription,
  models: readonly ModelDescription[],
): Choices {
  const target = likelyTarget(description);
  const task = taskFor(target, description);
  const given = defaultWindow(description);
  const proposal = proposalFor(description, modelsFor(models, task), given.lookBack);
  return {
    target: target?.name ?? '',
    features: featuresFor(description, task, target?.name ?? ''),
    ...started(proposal),
    given: { [TASK]: task, ...given, ...trainingFor(task, description) },
  };
}

/** What a proposal sets; nothing where no model is known. */
function started(proposal: Proposal | null): Pick<Choices, 'model' | 'fields'> {
  if (proposal === null) return { model: '', fields: {} };
  return { model: proposal.model.name, fields: fieldsOf(proposal) };
}

function modelFor(
  models: readonly ModelDescription[],
  task: TaskName,
): ModelDescription | undefined {
  const able = modelsFor(models, task);
  return able.find(({ name }) => name === 'lstm') ?? able[0];
}

export function taskOf({ given }: Pick<Choices, 'given'>): TaskName {
  return taskNamed(given[TASK]) ?? 'forecast';
}

/** Another task: columns and model of the old one that do not go with it give way. */
export function withTask(
  choices: Choices,
  task: TaskName,
  description: DatasetDescription,
  models: readonly ModelDescription[],
): Choices {
  const { target, features } = choices;
  const before = taskOf(choices);
  const given = { ...choices.given, [TASK]: task };
  const able = featuresFor(description, task, target);
  const chosen = new Set(features);
  if (isOfTables(before) === isOfTables(task)) {
    const kept = able.filter((name) => chosen.has(name));
    return { ...choices, given, features: kept };
  }
  // What could not be ticked before is learnt from, as it would have been from the start.
  const could = new Set(featuresFor(description, before, target));
  const own = unlessProposed(choices.given, trainingFor(before, description));
  const { lookBack } = defaultWindow(description);
  const proposal = proposalFor(description, modelsFor(models, task), lookBack);
  return {
    ...choices,
    given: { ...trainingFor(task, description), ...own, [TASK]: task },
    features: able.filter((name) => chosen.has(name) || !could.has(name)),
    ...started(proposal),
  };
}

/** What the person gave: what is still as it was proposed goes with the task that it was proposed for. */
function unlessProposed(given: Given, proposed: Given): Given {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => proposed[name] !== value),
  );
}

/** Another target: a task that the person chose stays where it goes with it. */
export function withTarget(
  choices: Choices,
  target: string,
  description: DatasetDescription,
  models: readonly ModelDescription[],
): Choices {
  const column = (name: string): DatasetDescription['columns'][number] | undefined =>
    description.columns.find((one) => one.name === name);
  const before = taskOf(choices);
  const own = before !== taskFor(column(choices.target), description);
  const keeps = own && tasksFor(column(target)).includes(before);
  const task = keeps ? before : taskFor(column(target), description);
  const changed = withTask({ ...choices, target }, task, description, models);
  if (!isOfTables(task) || !isOfTables(before)) return changed;
  const learnt = new Set([...changed.features, choices.target]);
  const able = featuresFor(description, task, target);
  return { ...changed, features: able.filter((name) => learnt.has(name)) };
}

/** The registry's defaults. */
export function defaultFields(model: ModelDescription | undefined): Choices['fields'] {
  return Object.fromEntries((model?.fields ?? []).map(({ name, default: value }) => [name, value]));
}

/** The field that Small, Medium and Large set; null when the model has none. */
export function sizeField(model: ModelDescription | undefined): ModelField | null {
  return model?.fields.find(({ name }) => sizeFieldNames.has(name)) ?? null;
}

/** The registry's defaults, in the proposed size. */
export function fieldsOf({ model, times }: Proposal): Choices['fields'] {
  const size = sizeField(model);
  return { ...defaultFields(model), ...(size && { [size.name]: sizeOf(size, times) }) };
}

/** A value of that field that is `times` its default. */
export function sizeOf({ default: medium }: ModelField, times: number): number {
  return Number(medium) * times;
}

/** A month back and a week ahead of daily rows, two days back and one ahead of hourly ones, and so on. */
function defaultWindow(description: DatasetDescription): { lookBack: number; horizon: number } {
  const spacing = rowSeconds(description);
  const [lookBack, horizon] = windowFor(spacing);
  const room = Math.max(1, Math.floor(description.rows / 20));
  return {
    lookBack: Math.min(lookBack, room),
    horizon: Math.min(horizon, Math.max(1, Math.floor(room / 2))),
  };
}

function windowFor(spacing: number | null): [number, number] {
  if (spacing === null) return [30, 1];
  const hours = spacing / 3600;
  if (hours > 24 * 27 && hours < 24 * 32) return [24, 12];
  if (hours > 23 && hours < 25) return [30, 7];
  if (hours > 0.9 && hours < 1.1) return [48, 24];
  return [30, 1];
}

/** The choices of an earlier run, where its columns are in this file too. */
export function choicesFromConfig(
  config: RunConfig,
  description: DatasetDescription,
  models: readonly ModelDescription[],
  settings: Settings,
): Choices {
  const first = defaultChoices(description, models);
  const { name, ...fields } = config.model;
  const column = description.columns.find((one) => one.name === config.data.target);
  const target = tasksFor(column).length > 0 ? column : likelyTarget(description);
  const task = taskIn(config, models, tasksFor(target)) ?? taskFor(target, description);
  const known = modelsFor(models, task).find((model) => model.name === name);
  const able = new Set(featuresFor(description, task, target?.name ?? ''));
  const features = config.data.features.filter((feature) => able.has(feature));
  const from = settings.from(config);
  // What the page proposes from the data is no default of the core's: without it the core's would be meant.
  const proposed = Object.keys(defaultWindow(description)).filter(
    (key) => config.data[key] === undefined || (isOfTables(task) && from[key] === undefined),
  );
  const model = known ?? modelFor(models, task);
  return {
    target: target?.name ?? '',
    features: features.length > 0 ? features : [...able],
    model: model?.name ?? '',
    fields: known === undefined ? defaultFields(model) : ownFields(known, fields),
    given: {
      ...Object.fromEntries(proposed.map((key) => [key, first.given[key] ?? NaN])),
      ...from,
      [TASK]: task,
    },
  };
}

/** A configuration that names no task is of its model's. */
function taskIn(
  { data, model }: RunConfig,
  models: readonly ModelDescription[],
  possible: readonly TaskName[],
): TaskName | null {
  const named = taskNamed(data[TASK]);
  if (named !== null) return possible.includes(named) ? named : null;
  const ofSeries = modelsFor(models, 'forecast').some(({ name }) => name === model.name);
  return ofSeries && possible.includes('forecast') ? 'forecast' : null;
}

/** The values that are still of their field's kind; the model's defaults for the others. */
function ownFields(model: ModelDescription, given: Choices['fields']): Choices['fields'] {
  const kept = defaultFields(model);
  for (const { name, default: initial, choices } of model.fields) {
    const value = given[name];
    if (typeof value !== typeof initial) continue;
    if (typeof value === 'string' && !choices.includes(value)) continue;
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** What stands against training with these choices, by field; empty when nothing does. */
export function checkChoices(
  choices: Choices,
  description: DatasetDescription,
  model: ModelDescription | undefined,
  settings: Settings,
): Problems {
  const problems: Record<string, string> = {};
  const target = description.columns.find(({ name }) => name === choices.target);
  const targetProblem = whyNotTarget(target);
  if (targetProblem !== null) problems['target'] = targetProblem;
  if (choices.features.length === 0) problems['features'] = t('chooseColumn');
  for (const [name, problem] of Object.entries(settings.problems(choices.given)))
    problems[`setting:${name}`] = problem;
  const task = taskOf(choices);
  const able = new Set(featuresFor(description, task, choices.target));
  if (!choices.features.every((name) => able.has(name))) problems['features'] = t('chooseColumn');
  const rows = isOfTables(task) ? null : tooFewRows(choices.given, description, settings);
  if (rows !== null) problems['setting:lookBack'] ??= rows;
  for (const field of model?.fields ?? []) {
    const value = choices.fields[field.name];
    if (field.type === 'bool' || field.type === 'choice') continue;
    const problem = checkNumber(
      typeof value === 'number' ? value : NaN,
      field.min ?? -Infinity,
      field.max ?? Infinity,
      field.type === 'int',
    );
    if (problem !== null) problems[`field:${field.name}`] = problem;
  }
  return problems;
}

/** Null also where the numbers themselves are wrong, which is said beside them. */
function tooFewRows(
  given: Given,
  description: DatasetDescription,
  settings: Settings,
): string | null {
  const lookBack = settings.number('lookBack', given);
  const horizon = settings.number('horizon', given);
  const fraction = settings.number('validationFraction', given);
  if (!Number.isFinite(lookBack + horizon + fraction)) return null;
  const held = Math.floor(description.rows * fraction);
  const part = Math.min(held, description.rows - held);
  if (lookBack + horizon < description.rows - held && horizon + 1 <= part) return null;
  return t('tooFewRows', formatCount(description.rows - held), formatCount(held));
}

export function toRunConfig(choices: Choices, settings: Settings): RunConfig {
  const { target, features, given } = choices;
  return {
    model: { name: choices.model, ...choices.fields },
    data: { ...settings.of('data', given), features, target },
    training: settings.of('training', given),
  };
}
