// The package's texts in tests, as a browser gives them: before each test file the English ones, in any language where a
// test says so. Placeholders are $1 to $9; a name that a language lacks is taken from English.
import { readFileSync } from 'node:fs';

export type Messages = Record<string, { message: string; description?: string }>;

export const LANGUAGES = ['en', 'de', 'es', 'zh_CN'] as const;
export type Language = (typeof LANGUAGES)[number];

export function messagesOf(language: Language): Messages {
  const file = `../../extension/public/_locales/${language}/messages.json`;
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Messages;
}

export function speak(language: Language): void {
  const messages = { ...messagesOf('en'), ...messagesOf(language) };
  const getMessage = (name: string, values: string[] = []): string =>
    (messages[name]?.message ?? '').replace(
      /\$([1-9])/g,
      (_, index: string) => values[Number(index) - 1] ?? '',
    );
  const getUILanguage = (): string => (language === 'en' ? 'en-US' : language.replace('_', '-'));
  Object.assign(globalThis, { chrome: { i18n: { getMessage, getUILanguage } } });
}

speak('en');
