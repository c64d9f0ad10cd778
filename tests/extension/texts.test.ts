// The texts of all languages beside each other, and the pages' sources beside the texts.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { emptyState } from '../../extension/src/messages/state.ts';
import { inPersonsWords, partLabel } from '../../extension/src/ui/described.ts';
import { inLanguage } from '../../extension/src/ui/said.ts';
import { settings } from './settings.ts';
import { LANGUAGES, messagesOf, speak } from './texts.ts';

/** What the core says in English: only the other languages have a text for it. */
const OVERRIDE = /^(setting|model|part)_\w+_(label|help|is_\w+)$/;

const english = messagesOf('en');
const others = LANGUAGES.filter((language) => language !== 'en');
const placeholders = (text: string): string[] => [...new Set(text.match(/\$\d/g))].sort();

describe('the languages', () => {
  it.each(others)('%s has exactly the keys that English has', (language) => {
    const keys = Object.keys(messagesOf(language)).filter((key) => !OVERRIDE.test(key));
    expect(keys.sort()).toEqual(Object.keys(english).sort());
  });

  it.each(others)('%s has the same placeholders in every text', (language) => {
    const messages = messagesOf(language);
    const differing = Object.keys(english).filter(
      (key) =>
        String(placeholders(messages[key]!.message)) !==
        String(placeholders(english[key]!.message)),
    );
    expect(differing).toEqual([]);
  });

  it('have no empty text, no key twice but for its case, and no dollar that is no placeholder', () => {
    for (const language of LANGUAGES) {
      const messages = messagesOf(language);
      const keys = Object.keys(messages);
      expect(new Set(keys.map((key) => key.toLowerCase())).size, language).toBe(keys.length);
      const bad = keys.filter((key) => !/^([^$]|\$[1-9])+$/.test(messages[key]!.message));
      expect(bad, language).toEqual([]);
    }
  });

  it('have the same overrides of what the core says, each of a field or choice that there is', () => {
    const overrides = (language: (typeof LANGUAGES)[number]): string[] =>
      Object.keys(messagesOf(language))
        .filter((key) => OVERRIDE.test(key) && !(key in english))
        .sort();
    expect(overrides('en')).toEqual([]);
    for (const language of others) expect(overrides(language), language).toEqual(overrides('de'));
    const known = new Set(
      settings.flatMap(({ name, choices }) => [
        `setting_${name}_label`,
        `setting_${name}_help`,
        ...choices.map(({ value }) => `setting_${name}_is_${value}`),
      ]),
    );
    const strange = overrides('de').filter((key) => key.startsWith('setting_') && !known.has(key));
    expect(strange).toEqual([]);
  });

  it('each have a folder that the browsers know, and no other folder is there', () => {
    const folder = new URL('../../extension/public/_locales/', import.meta.url);
    expect(readdirSync(folder).sort()).toEqual([...LANGUAGES].sort());
  });
});

const sourceFolder = new URL('../../extension/src/', import.meta.url);
const sources = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(new URL(path, sourceFolder), 'utf8') }));
const pages = sources.filter(({ path }) => /^(ui|popup|dashboard)\//.test(path));

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** The pieces of text in a string or template. */
function pieces(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (!ts.isTemplateExpression(node)) return [];
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
}

/** Attributes whose value a person reads or hears. */
const READ =
  /^(aria-label|aria-description|title|placeholder|alt|label|hint|text|sentence|help|xLabel|yLabel)$/;
/** Calls that put their later arguments into the page. */
const SHOWN: Record<string, number> = { make: 2, setText: 1, append: 0 };

function isShown(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.initializer === node)
    return READ.test(ts.isStringLiteral(parent.name) ? parent.name.text : parent.name.getText());
  if (ts.isConditionalExpression(parent) && parent.condition !== node) return isShown(parent);
  if (ts.isBinaryExpression(parent) && parent.right === node) return isShown(parent);
  if (!ts.isCallExpression(parent)) return false;
  const name = /(\w+)$/.exec(parent.expression.getText())?.[1] ?? '';
  const from = SHOWN[name];
  return from !== undefined && parent.arguments.indexOf(node as ts.Expression) >= from;
}

/** A sentence, or a word with a capital, wherever it stands; any word where a page shows it. */
function looksWritten(node: ts.Node): boolean {
  const texts = pieces(node);
  if (isShown(node)) return texts.some((text) => /\p{L}{2}/u.test(text.replace(/^--[\w-]+$/, '')));
  return texts.some((text) => /^\p{Lu}\p{Ll}+[.…]?$|\p{Ll}{2}[,.:]? \p{L}{2,} \p{L}/u.test(text));
}

/** Names of the document and of programs, which are the same in every language. */
const NAMES = new Set([
  'Escape',
  'Firefox/',
  'shadegrad-host grant DIR',
  '11px system-ui, sans-serif',
]);
/** Attributes that no person reads. */
const UNREAD = /^(class|style|name|href|src)$/;

/** Types, imports, names of properties, and what only programs read. */
function isNoText(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isLiteralTypeNode(parent) || ts.isImportDeclaration(parent)) return true;
  if (ts.isPropertyAssignment(parent))
    return parent.name === node || UNREAD.test(parent.name.getText());
  return pieces(node).some((piece) => NAMES.has(piece));
}

describe('the pages', () => {
  it.each(pages.map(({ path, text }) => [path, text]))(
    '%s has no text of its own',
    (path, text) => {
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      const own: string[] = [];
      for (const node of nodesOf(file)) {
        if (pieces(node).length === 0 || isNoText(node)) continue;
        if (looksWritten(node)) own.push(node.getText());
      }
      expect(own).toEqual([]);
    },
  );

  it('use every text', () => {
    const names = new Set<string>(['name', 'description']);
    const patterns: RegExp[] = [];
    for (const { path, text } of sources) {
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      for (const node of nodesOf(file)) {
        if (ts.isStringLiteralLike(node)) names.add(node.text);
        if (ts.isTemplateExpression(node)) {
          const parts = pieces(node).map((part) => part.replace(/[^\w]/g, '\\$&'));
          // A template of placeholders alone would match everything.
          if (parts.some((part) => /^\w{2}/.test(part)))
            patterns.push(new RegExp(`^${parts.join('\\w+')}$`));
        }
      }
    }
    const isUsed = (key: string): boolean => {
      const plain = key.replace(/_(one|other)$/, '');
      return [key, plain].some((name) => names.has(name) || patterns.some((one) => one.test(name)));
    };
    expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([]);
  });
});

describe('what comes in English from elsewhere', () => {
  it('is said by its code in another language, with the English sentence behind it', () => {
    const sentence = 'The disk is full: 3 MB are needed in /home/a/Shadegrad.';
    expect(inLanguage('store.disk_full', sentence)).toEqual({ text: sentence, detail: null });
    speak('de');
    const { text, detail } = inLanguage('store.disk_full', sentence);
    expect([text, detail]).toEqual([messagesOf('de')['notice_store_disk_full']!.message, sentence]);
    expect(inLanguage('strange.code', sentence)).toEqual({ text: sentence, detail: null });
    speak('en');
  });

  it('has a text for every failure of a table or of predictions that the core knows', () => {
    const core = new URL('../../wasm/', import.meta.url);
    const codes = new Set<string>();
    for (const path of readdirSync(core, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(cpp|h)$/.test(path)) continue;
      const source = readFileSync(new URL(path, core), 'utf8');
      for (const [, code] of source.matchAll(/"((?:table|predict)\.\w+)"/g)) codes.add(code!);
    }
    expect(codes).toContain('table.bad_code');
    expect(codes).toContain('predict.gap');
    const missing = [...codes].filter((code) => !(`notice_${code.replace('.', '_')}` in english));
    expect(missing).toEqual([]);
  });

  it("is a field's own text in another language, and the core's where there is none", () => {
    const state = { ...emptyState(), settings };
    expect(inPersonsWords(state)).toBe(state);
    speak('de');
    const german = inPersonsWords(state).settings;
    const field = (name: string): unknown => german.find((one) => one.name === name)?.label;
    expect(field('learningRate')).toBe('Lernrate');
    const strange = { ...settings[0]!, name: 'strange', label: 'As the core says' };
    expect(inPersonsWords({ ...state, settings: [strange] }).settings[0]?.label).toBe(
      'As the core says',
    );
    expect(partLabel('hidden_units')).toBe('Hidden units');
    speak('en');
  });
});
