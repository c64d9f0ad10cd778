// What can be predicted from the data: which columns can be a target, the task that goes with one, and the columns and
// models that go with a task.

import type { ColumnDescription, DatasetDescription, ModelDescription } from '../messages/state.ts';
import { t } from '../texts.ts';
import { otherKind } from './columns.ts';

/** As the core's field data.task names them. */
export const TASKS = ['forecast', 'regression', 'classification'] as const;
export type TaskName = (typeof TASKS)[number];

/** The name of the core's field. */
export const TASK = 'task';
/** The core tells no more of them apart. */
const MOST_CLASSES = 100;

/** Names that mostly are what people want to know of a series. */
const likelyInSeries = /^(target|y|ot|value|close|price|sales|demand|load|co2|temp.*)$/i;
/** And of a row of a table. */
const likelyInTable =
  /^(target|y|label|class|species|outcome|survived|churn|default|diagnosis|quality|price|value)$/i;

export function taskNamed(value: unknown): TaskName | null {
  return TASKS.find((task) => task === value) ?? null;
}

/** Rows that stand each for itself, and not one after the other. */
export function isOfTables(task: TaskName): boolean {
  return task !== 'forecast';
}

/** The tasks that a column can be the target of; none for what nothing can be said of. */
export function tasksFor(column: ColumnDescription | undefined): TaskName[] {
  if (column === undefined) return [];
  const { type, count, distinct } = column;
  const classes = distinct !== null && distinct >= 2 && distinct <= MOST_CLASSES;
  if (type === 'category') return classes ? ['classification'] : [];
  if (type !== 'number' || count === 0) return [];
  return classes ? [...TASKS] : ['forecast', 'regression'];
}

/** Categories are told apart; what has dates, or is one column alone, is a series; other numbers are of a table. */
export function taskFor(
  column: ColumnDescription | undefined,
  description: DatasetDescription,
): TaskName {
  const possible = tasksFor(column);
  if (column === undefined || !possible.includes('forecast')) return possible[0] ?? 'forecast';
  const others = description.columns.filter((one) => canLearnFrom(one, 'regression', column.name));
  if (isSeries(description) || others.length === 0) return 'forecast';
  const { min, max, distinct } = column;
  return distinct === 2 && min === 0 && max === 1 ? 'classification' : 'regression';
}

function isSeries(description: DatasetDescription): boolean {
  return description.columns.some(({ type, count }) => type === 'datetime' && count > 0);
}

/** Of a series a column of numbers, else also categories: one with a telling name, or the last. */
export function likelyTarget(description: DatasetDescription): ColumnDescription | undefined {
  const series = isSeries(description);
  const able = description.columns.filter((column) =>
    tasksFor(column).some((task) => !series || task === 'forecast'),
  );
  const likely = series ? likelyInSeries : likelyInTable;
  return able.find(({ name }) => likely.test(name)) ?? able.at(-1);
}

/** Null where it can be one. */
export function whyNotTarget(column: ColumnDescription | undefined): string | null {
  if (column === undefined) return t('noTargetColumn');
  if (tasksFor(column).length > 0) return null;
  const { name, type, distinct } = column;
  if (type === 'number') return t('targetEmpty', name);
  if (type !== 'category') return t('onlyNumbersForecast', name, otherKind(type));
  return (distinct ?? 0) < 2 ? t('targetSame', name) : t('targetClasses', name);
}

/** A table's target would give itself away; a series is continued from its own past. */
export function canLearnFrom(
  { name, type, count }: ColumnDescription,
  task: TaskName,
  target: string,
): boolean {
  if (count === 0) return false;
  if (!isOfTables(task)) return type === 'number';
  return name !== target && (type === 'number' || type === 'category');
}

export function whyNotLearnFrom(
  { name, type, count }: ColumnDescription,
  task: TaskName,
): string | null {
  if (count === 0) return t('emptyColumn', name);
  if (type === 'number') return isOfTables(task) ? t('isTarget', name) : null;
  if (!isOfTables(task)) return t('onlyNumbersLearn', name);
  return type === 'category' ? t('isTarget', name) : t('onlyNumbersOrCategories', name);
}

export function featuresFor(
  { columns }: DatasetDescription,
  task: TaskName,
  target: string,
): string[] {
  return columns.filter((one) => canLearnFrom(one, task, target)).map(({ name }) => name);
}

export function modelsFor(models: readonly ModelDescription[], task: TaskName): ModelDescription[] {
  const wanted = isOfTables(task) ? 'table' : 'forecast';
  return models.filter((model) => model.task === wanted);
}
