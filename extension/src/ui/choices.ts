// What a person chooses before training, as plain data: sensible first choices from the columns, the check of each
// field with a sentence that says what is wrong, and the run's configuration made from them.

import { otherKind } from './columns.ts';
import type {
  ColumnDescription,
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
/** Names that mostly are what people want to know the future of. */
const likelyTarget = /^(target|y|ot|value|close|price|sales|demand|load|co2|temp.*)$/i;

export function defaultChoices(
  description: DatasetDescription,
  models: readonly ModelDescription[],
): Choices {
  // A delimiter at the end of every line makes a column without a value, and no window is whole with it.
  const numbers = description.columns.filter(({ type, count }) => type === 'number' && count > 0);
  const target =
    numbers.find((column) => likelyTarget.test(column.name)) ?? numbers[numbers.length - 1];
  const model = models.find(({ name }) => name === 'lstm') ?? models[0];
  return {
    target: target?.name ?? '',
    features: numbers.map((column) => column.name),
    model: model?.name ?? 'lstm',
    fields: defaultFields(model),
    given: defaultWindow(description),
  };
}

/** Those that learn from a table of numbers. */
export function forecastModels(models: readonly ModelDescription[]): ModelDescription[] {
  return models.filter(({ task }) => task === 'forecast');
}

/** The registry's defaults. */
export function defaultFields(model: ModelDescription | undefined): Choices['fields'] {
  return Object.fromEntries((model?.fields ?? []).map(({ name, default: value }) => [name, value]));
}

/** The field that Small, Medium and Large set; null when the model has none. */
export function sizeField(model: ModelDescription | undefined): ModelField | null {
  return model?.fields.find(({ name }) => sizeFieldNames.has(name)) ?? null;
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
  const numbers = new Set(first.features);
  const { name, ...fields } = config.model;
  const known = models.find((model) => model.name === name);
  const features = config.data.features.filter((feature) => numbers.has(feature));
  // What the page proposes from the data is no default of the core's: without it the core's would be meant.
  const proposed = Object.keys(first.given).filter((key) => config.data[key] === undefined);
  return {
    target: numbers.has(config.data.target) ? config.data.target : first.target,
    features: features.length > 0 ? features : first.features,
    model: known?.name ?? first.model,
    fields: known === undefined ? first.fields : ownFields(known, fields),
    given: {
      ...Object.fromEntries(proposed.map((key) => [key, first.given[key] ?? NaN])),
      ...settings.from(config),
    },
  };
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
  const rows = tooFewRows(choices.given, description, settings);
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

export function whyNotTarget(column: ColumnDescription | undefined): string | null {
  if (column === undefined) return t('noNumberColumn');
  if (column.type === 'number') return null;
  return t('onlyNumbersForecast', column.name, otherKind(column.type));
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
