// Every word that a person reads, in the person's language: public/_locales has one file a language, and the English one
// is complete, so a key that it lacks is a compile error. Counted things take the plural form of the texts' language;
// numbers and dates take the browser's.

import type english from '../public/_locales/en/messages.json';
import { localText, uiLanguage } from './browser.ts';

export type TextKey = keyof typeof english;

/** Keys that stand twice, once for each form that English has: rows_one and rows_other. */
export type CountKey = {
  [Key in TextKey]: Key extends `${infer Name}_other` ? Name : never;
}[TextKey];

/** The text of that name, with $1, $2 and so on replaced by the values. */
export function t(key: TextKey, ...values: string[]): string {
  return localText(key, values);
}

/** "1 row", "1,461 rows": $1 is the count, in the form that goes with it. */
export function counted(key: CountKey, count: number, ...values: string[]): string {
  const { number, plural } = formsOf(personsLanguage(), textLanguage());
  const form = plural.select(count) === 'one' ? 'one' : 'other';
  return localText(`${key}_${form}`, [number.format(count), ...values]);
}

interface Forms {
  number: Intl.NumberFormat;
  plural: Intl.PluralRules;
}

const forms = new Map<string, Forms>();

function formsOf(person: string, text: string): Forms {
  let known = forms.get(`${person} ${text}`);
  if (known === undefined) {
    known = {
      number: new Intl.NumberFormat(person, { maximumFractionDigits: 0 }),
      plural: new Intl.PluralRules(text),
    };
    forms.set(`${person} ${text}`, known);
  }
  return known;
}

/** A text for something whose name comes from elsewhere, as the core's fields and the codes of failures do. */
export function textNamed(name: string): string | null {
  const text = localText(name.replace(/\W/g, '_'), []);
  return text === '' ? null : text;
}

/** The language that the texts are in, which is English where there are none in the person's. */
export function textLanguage(): string {
  return t('language');
}

/** Of numbers and dates. */
export function personsLanguage(): string {
  return uiLanguage();
}

/** For where a text begins a line or stands alone. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "a", "a and b", "a, b, and c". */
export function joinWords(words: readonly string[]): string {
  return new Intl.ListFormat(textLanguage()).format(words);
}
