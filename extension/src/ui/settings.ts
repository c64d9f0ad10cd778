// The configuration's fields as the core describes them, and the values that a person has given: what each field's value
// is, whether it matters, and what is wrong with it. Only given values are kept; the core knows the others.

import type { FieldValue, RunConfig, RunState, SettingField } from '../messages/state.ts';
import { checkNumber } from './numbers.ts';
import { t } from '../texts.ts';

/** What was given, by the field's name; a number that is being typed may be NaN. */
export type Given = Readonly<Record<string, FieldValue>>;

/** What the core says of the fields; a file may be named as one would be, so only those there are are known. */
export type Described = Pick<RunState, 'settings' | 'models'>;

/** Lookups in the list that the core gave. */
export class Settings {
  readonly fields: readonly SettingField[];
  readonly #byName: ReadonlyMap<string, SettingField>;

  constructor(fields: readonly SettingField[]) {
    this.fields = fields;
    this.#byName = new Map(fields.map((field) => [field.name, field]));
  }

  /** What the run will have: what was given, else the default that goes with the other choices. */
  value(name: string, given: Given): FieldValue | undefined {
    return given[name] ?? this.#default(name, given);
  }

  number(name: string, given: Given): number {
    const value = this.value(name, given);
    return typeof value === 'number' ? value : NaN;
  }

  matters({ when }: SettingField, given: Given): boolean {
    return when === null || when.is.includes(String(this.value(when.field, given)));
  }

  /** What stands against each given value that matters, by name. */
  problems(given: Given): Record<string, string> {
    const problems: Record<string, string> = {};
    for (const field of this.fields) {
      if (field.place === 'elsewhere' || !this.matters(field, given)) continue;
      const problem = checkSetting(field, this.value(field.name, given));
      if (problem !== null) problems[field.name] = problem;
    }
    return problems;
  }

  /** The given values of one group that matter. */
  of(group: SettingField['group'], given: Given): Record<string, FieldValue> {
    const result: Record<string, FieldValue> = {};
    for (const field of this.fields) {
      const value = given[field.name];
      if (field.group === group && value !== undefined && this.matters(field, given))
        result[field.name] = value;
    }
    return result;
  }

  /** What an earlier run gave: what is another value than the default beside its other choices. */
  from(config: Pick<RunConfig, 'data' | 'training'>): Given {
    const given: Record<string, FieldValue> = {};
    for (const field of this.fields) {
      const value = config[field.group][field.name];
      if (value === undefined || Array.isArray(value) || checkSetting(field, value) !== null)
        continue;
      if (field.place !== 'elsewhere') given[field.name] = value;
    }
    // What does not matter beside the other choices is the core's own doing.
    const other = ([name, value]: [string, FieldValue]): boolean => {
      const field = this.#byName.get(name);
      return (
        field !== undefined && this.matters(field, given) && value !== this.#default(name, given)
      );
    };
    return Object.fromEntries(Object.entries(given).filter(other));
  }

  /** The words for a choice: "mean squared error" for the loss mse. */
  label(name: string, value: unknown): string {
    const field = this.#byName.get(name);
    const chosen = value ?? field?.default;
    return field?.choices.find((choice) => choice.value === chosen)?.label ?? '';
  }

  #default(name: string, given: Given): FieldValue | undefined {
    const field = this.#byName.get(name);
    if (field === undefined || Array.isArray(field.default)) return undefined;
    const initial = field.when?.initial[String(this.value(field.when.field, given))];
    if (initial === undefined) return field.default;
    return field.type === 'bool' ? initial !== 0 : initial;
  }
}

/** The fields as they are on this machine: a graphics card that is not to be had cannot be chosen, and says why. */
export function onThisMachine({
  settings,
  webgl,
  webglReason,
}: Pick<RunState, 'settings' | 'webgl' | 'webglReason'>): SettingField[] {
  if (webgl !== null && !webgl.software) return [...settings];
  return settings.map((field) => {
    if (field.group !== 'training' || field.name !== 'device') return field;
    if (webgl !== null) {
      const help = t('emulatedHelp', webgl.renderer);
      return { ...field, help };
    }
    const choices = field.choices.map((choice) =>
      choice.value === 'webgl' ? { ...choice, disabled: true } : choice,
    );
    return { ...field, choices, help: t('noGraphicsHelp', webglReason) };
  });
}

/** hidden_size -> "Hidden size". */
export function words(name: string): string {
  const spaced = name.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

/** The core names fields as the configuration does, data.lookBack; people know them by the form's labels. */
export function inFormWords(message: string, { settings, models }: Described): string {
  const labels = new Map(settings.map(({ group, name, label }) => [`${group}.${name}`, label]));
  for (const { name } of models.flatMap(({ fields }) => fields))
    labels.set(`model.${name}`, words(name));
  return message.replace(/\b(data|training|model)\.\w+/g, (path) => {
    const label = labels.get(path);
    return label === undefined ? path : `"${label}"`;
  });
}

export function checkSetting(field: SettingField, value: unknown): string | null {
  const { type, min, max, choices } = field;
  if (type === 'bool') return typeof value === 'boolean' ? null : t('sayYesOrNo');
  if (type === 'choice')
    return choices.some((choice) => choice.value === value && choice.disabled !== true)
      ? null
      : t('chooseOne');
  if (type !== 'int' && type !== 'float') return null;
  return checkNumber(
    typeof value === 'number' ? value : NaN,
    min ?? -Infinity,
    max ?? Infinity,
    type === 'int',
  );
}
