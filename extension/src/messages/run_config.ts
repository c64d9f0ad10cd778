// The check of a run's configuration, as it comes from a page, a link, a checkpoint or a stored search.
import { MOST_COLUMNS } from './data.ts';
import type { DataConfig, FieldValue, ModelConfig, RunConfig, TrainingConfig } from './state.ts';
import * as v from './validate.ts';

const columnName = v.text(1000, 1);

/** Fields that the core knows by name: it checks names and limits, and here it is enough that they are plain values. */
function plainFields(
  value: Record<string, unknown>,
  where: string,
  except: readonly string[] = [],
): Record<string, FieldValue> {
  const result: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(value).slice(0, 100)) {
    if (!except.includes(name)) result[name] = v.fieldValue(field, `${where}.${name}`);
  }
  return result;
}

const model: v.Check<ModelConfig> = (value, where) => {
  if (!v.isRecord(value))
    throw new v.MessageError(`${where} must be an object with the model's name and fields.`);
  const name = v.text(100, 1)(value['name'], `${where}.name`);
  return { ...plainFields(value, where, ['name']), name };
};

const columns = v.object({ features: v.list(columnName, MOST_COLUMNS, 1), target: columnName });

const data: v.Check<DataConfig> = (value, where) => ({
  ...plainFields(v.record(value, where), where, ['features', 'target']),
  ...columns(value, where),
});

const training: v.Check<TrainingConfig> = (value, where) =>
  plainFields(v.record(value, where), where);

export const runConfig: v.Check<RunConfig> = v.object({ model, data, training });
