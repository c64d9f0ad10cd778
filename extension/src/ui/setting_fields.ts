// The controls of the configuration's fields, made from what the core says of them. A field that does not matter beside
// the other choices is hidden; its value is not sent.

import type { FieldValue, SettingField } from '../messages/state.ts';
import type { Choices, Problems } from './choices.ts';
import { setHidden } from './dom.ts';
import { CheckField, NumberField, SelectField } from './fields.ts';
import type { Settings } from './settings.ts';
import type { Change, Part } from './setup_parts.ts';
import { settingId } from './testids.ts';

/** One field's control; a page puts it where it wants. */
export class SettingControl implements Part {
  readonly element: HTMLElement;
  readonly #field: SettingField;
  readonly #settings: Settings;
  readonly #show: (value: FieldValue | undefined, problem: string | undefined) => void;
  #choices: Choices | null = null;

  constructor(field: SettingField, settings: Settings, change: Change) {
    this.#field = field;
    this.#settings = settings;
    const give = (value: FieldValue): void => {
      if (this.#choices !== null)
        change({ given: { ...this.#choices.given, [field.name]: value } });
    };
    const control = makeControl(field, give);
    this.element = control.element;
    this.#show = control.show;
  }

  show(choices: Choices, problems: Problems): void {
    this.#choices = choices;
    const { given } = choices;
    const { name } = this.#field;
    setHidden(this.element, !this.#settings.matters(this.#field, given));
    this.#show(this.#settings.value(name, given), problems[`setting:${name}`]);
  }
}

interface Control {
  element: HTMLElement;
  show: (value: FieldValue | undefined, problem: string | undefined) => void;
}

function makeControl(field: SettingField, give: (value: FieldValue) => void): Control {
  const { name, type, label, help, min, max, choices } = field;
  const options = { label, name: settingId(name), hint: help };
  if (type === 'bool') {
    const made = new CheckField({ ...options, change: give });
    return {
      element: made.element,
      show: (value) => {
        made.show(value === true);
      },
    };
  }
  if (type === 'choice') {
    const made = new SelectField({ ...options, change: give });
    return {
      element: made.element,
      show: (value) => {
        made.show(choices, String(value));
      },
    };
  }
  const made = new NumberField({
    ...options,
    whole: type === 'int',
    min: min ?? undefined,
    max: max ?? undefined,
    change: give,
  });
  return {
    element: made.element,
    show: (value, problem) => {
      made.show(typeof value === 'number' ? value : NaN);
      made.setProblem(problem);
    },
  };
}
