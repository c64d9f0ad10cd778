// The core's fields and models in the person's language. The core describes them in English; another language's file may
// have a text under the field's name, and what has none there stays as the core says it.

import type { ModelDescription, ModelField, RunState, SettingField } from '../messages/state.ts';
import { textLanguage, textNamed } from '../texts.ts';
import { words } from './settings.ts';

type Described = Pick<RunState, 'settings' | 'models'>;

const translated = new WeakMap<readonly object[], readonly object[]>();

export function inPersonsWords<State extends Described>(state: State): State {
  if (textLanguage() === 'en') return state;
  const settings = once(state.settings, settingIn);
  const models = once(state.models, modelIn);
  return { ...state, settings, models };
}

/** The lists stay the same for a whole session, while states come many times a second. */
function once<Item extends object>(items: Item[], change: (item: Item) => Item): Item[] {
  let known = translated.get(items);
  if (known === undefined) {
    known = items.map(change);
    translated.set(items, known);
  }
  return known as Item[];
}

function settingIn(field: SettingField): SettingField {
  const { name, label, help, choices } = field;
  return {
    ...field,
    label: textNamed(`setting_${name}_label`) ?? label,
    help: textNamed(`setting_${name}_help`) ?? help,
    choices: choices.map((choice) => ({
      ...choice,
      label: textNamed(`setting_${name}_is_${choice.value}`) ?? choice.label,
    })),
  };
}

function modelIn(model: ModelDescription): ModelDescription {
  const { name, help, fields } = model;
  return {
    ...model,
    help: textNamed(`model_${name}_help`) ?? help,
    fields: fields.map((field) => fieldIn(name, field)),
  };
}

/** The same name means the same in most models; one that means another thing has a text of its own. */
function fieldIn(model: string, field: ModelField): ModelField {
  const { name, help } = field;
  const own = textNamed(`part_${model}_${name}_help`) ?? textNamed(`part_${name}_help`);
  return { ...field, help: own ?? help };
}

/** A model's field has a name only: hidden_size -> "Hidden size". */
export function partLabel(name: string): string {
  return textNamed(`part_${name}_label`) ?? words(name);
}
