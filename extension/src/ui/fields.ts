// The form's building blocks: a labelled number, a labelled choice, a row of exclusive segments. Each shows its
// problem beneath itself and ties label, hint and problem to the control for screen readers.

import { make, on, setAttribute, setHidden, setOptions, setText, setValue } from './dom.ts';
import type { TestId } from './testids.ts';
import { each, once } from './testids.ts';

let serial = 0;

function nextId(): string {
  serial += 1;
  return `field-${String(serial)}`;
}

export interface FieldOptions {
  label: string;
  hint?: string;
  wide?: boolean;
  /** Stands once in the page under this name. */
  name?: TestId;
  /** Attributes of a control that stands many times. */
  attributes?: Record<string, string>;
}

class Field<Control extends HTMLInputElement | HTMLSelectElement> {
  readonly element: HTMLElement;
  readonly control: Control;
  readonly #problem = make('p', { class: 'problem', hidden: true });

  constructor(control: Control, { label, hint, wide, name, attributes }: FieldOptions) {
    this.control = control;
    const id = name ?? nextId();
    const names = name === undefined ? { id, ...attributes } : { ...once(name), ...attributes };
    for (const [key, value] of Object.entries(names)) control.setAttribute(key, value);
    this.#problem.id = `${id}-problem`;
    const hintElement =
      hint === undefined || hint === ''
        ? null
        : make('p', { class: 'hint', id: `${id}-hint` }, hint);
    setAttribute(control, 'aria-describedby', hintElement === null ? null : hintElement.id);
    this.element = make(
      'div',
      { class: wide === true ? 'field wide' : 'field' },
      make('label', { for: id }, label),
      control,
      this.#problem,
      hintElement,
    );
  }

  setProblem(problem: string | undefined): void {
    setHidden(this.#problem, problem === undefined);
    setText(this.#problem, problem ?? '');
    setAttribute(this.control, 'aria-invalid', problem === undefined ? null : 'true');
    setAttribute(
      this.control,
      'aria-errormessage',
      problem === undefined ? null : this.#problem.id,
    );
  }
}

export class NumberField extends Field<HTMLInputElement> {
  constructor(
    options: FieldOptions & {
      min?: number;
      max?: number;
      whole: boolean;
      change: (value: number) => void;
    },
  ) {
    const { min, max, whole } = options;
    const input = make('input', {
      type: 'number',
      inputmode: whole ? 'numeric' : 'decimal',
      min,
      max,
      step: whole ? 1 : 'any',
    });
    super(input, options);
    on(input, 'input', () => {
      options.change(input.value === '' ? NaN : input.valueAsNumber);
    });
  }

  show(value: number): void {
    setValue(this.control, Number.isFinite(value) ? String(value) : '');
  }
}

export interface Option {
  value: string;
  label: string;
  disabled?: boolean;
}

/** Letters that the narrow popup has room for in half its width. */
const HALF = 16;

export class SelectField extends Field<HTMLSelectElement> {
  readonly #wide: boolean;

  constructor(options: FieldOptions & { change: (value: string) => void }) {
    const select = make('select');
    super(select, options);
    this.#wide = options.wide === true;
    on(select, 'change', () => {
      options.change(select.value);
    });
  }

  show(options: readonly Option[], chosen: string): void {
    setOptions(this.control, options, chosen);
    const long = options.some(({ label, disabled }) => disabled !== true && roomFor(label) > HALF);
    const wide = this.#wide || long;
    setAttribute(this.element, 'class', wide ? 'field wide' : 'field');
  }
}

/** In Latin letters: a Chinese one is as wide as two. */
function roomFor(text: string): number {
  return text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}

export class CheckField {
  readonly control: HTMLInputElement;
  readonly element: HTMLElement;

  constructor(options: FieldOptions & { change: (value: boolean) => void }) {
    const id = options.name ?? nextId();
    const names = options.name === undefined ? { id } : once(options.name);
    this.control = make('input', { type: 'checkbox', ...names, ...options.attributes });
    on(this.control, 'change', () => {
      options.change(this.control.checked);
    });
    const hint =
      options.hint === undefined
        ? null
        : make('p', { class: 'hint', id: `${id}-hint` }, options.hint);
    setAttribute(this.control, 'aria-describedby', hint === null ? null : hint.id);
    const line = make(
      'div',
      { class: 'row' },
      this.control,
      make('label', { for: id }, options.label),
    );
    this.element = make('div', { class: 'field' }, line, hint);
  }

  show(checked: boolean): void {
    this.control.checked = checked;
  }
}

/** Radio buttons drawn as one bar. */
export class Segments {
  readonly element: HTMLElement;
  readonly #inputs: HTMLInputElement[];

  constructor(
    label: string,
    name: TestId,
    options: readonly Option[],
    change: (value: string) => void,
  ) {
    this.#inputs = options.map(({ value }) =>
      make('input', { type: 'radio', name, value, ...each(name) }),
    );
    for (const input of this.#inputs) {
      on(input, 'change', () => {
        change(input.value);
      });
    }
    const labels = this.#inputs.map((input, i) =>
      make('label', {}, input, make('span', {}, options[i]?.label ?? '')),
    );
    const id = `${name}-label`;
    this.element = make(
      'div',
      { class: 'field' },
      make('span', { class: 'label', id }, label),
      make(
        'div',
        { class: 'segments', role: 'radiogroup', 'aria-labelledby': id, id: name },
        ...labels,
      ),
    );
  }

  /** null checks none: another value than the offered ones is set elsewhere. */
  show(chosen: string | null): void {
    for (const input of this.#inputs) input.checked = input.value === chosen;
  }
}
