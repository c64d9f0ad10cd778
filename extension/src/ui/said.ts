// What the worker and the native host say comes as a code and an English sentence that names file, line and next step.
// In another language the code's own text is shown, and the English sentence stands behind a disclosure.

import type { HostStatus } from '../messages/host_status.ts';
import { t, textLanguage, textNamed } from '../texts.ts';
import { make, setHidden, setText } from './dom.ts';
import type { TestId } from './testids.ts';
import { once } from './testids.ts';

export interface Said {
  text: string;
  /** Null where `text` is the English sentence itself. */
  detail: string | null;
}

export function inLanguage(code: string, message: string): Said {
  const text = textLanguage() === 'en' ? null : textNamed(`notice_${code}`);
  return text === null ? { text: message, detail: null } : { text, detail: message };
}

/** Nothing where it is connected, or not asked yet. */
export function hostSays({ state, message }: HostStatus): Said {
  if (state === 'connected' || message === '') return { text: '', detail: null };
  return inLanguage(`host.${state}`, message);
}

export class SaidLine {
  readonly #text: HTMLElement;
  readonly #detail = make('p');
  readonly #more = make(
    'details',
    { hidden: true },
    make('summary', {}, t('details')),
    this.#detail,
  );
  readonly element: HTMLElement;

  constructor(attributes: { class: string; name?: TestId }) {
    const { class: style, name } = attributes;
    this.#text = make('p', name === undefined ? {} : once(name));
    this.element = make('div', { class: style }, this.#text, this.#more);
  }

  show({ text, detail }: Said): void {
    setText(this.#text, text);
    setText(this.#detail, detail ?? '');
    setHidden(this.#more, detail === null);
    setHidden(this.element, text === '');
  }
}
