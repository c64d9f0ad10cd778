// A run's configuration as a link or as JSON, to be handed to somebody else: model, columns and settings, and nothing of
// the data but its columns' names. What comes back is a stranger's text until it is checked as any command is.
import { runConfig } from './run_config.ts';
import type { FieldValue, RunConfig } from './state.ts';
import { MessageError } from './validate.ts';

const MARK = '#config=';
/** Of a link or text: a thousand columns with long names still fit. */
const LONGEST = 200_000;

export function configLink(page: string, config: RunConfig): string {
  const bytes = new TextEncoder().encode(JSON.stringify(config));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const plain = text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return page + MARK + plain;
}

/** The configuration in a link, the part of it after '#', or JSON; throws a MessageError with what is wrong. */
export function configIn(text: string): RunConfig {
  if (text.length > LONGEST)
    throw new MessageError('The configuration is longer than any that this program makes.');
  const at = text.indexOf(MARK);
  const json = at < 0 ? text : decoded(text.slice(at + MARK.length).trim());
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new MessageError('This is neither a link with a configuration nor one as JSON.');
  }
  return runConfig(value, 'configuration');
}

export function hasConfig(hash: string): boolean {
  return hash.startsWith(MARK);
}

function decoded(plain: string): string {
  try {
    const binary = atob(plain.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MessageError('The link was cut short or changed: ask for it again.');
  }
}

export interface ConfigDifference {
  group: keyof RunConfig;
  field: string;
  /** Of each configuration; null where it does not have the field. */
  values: (FieldValue | null)[];
}

/** The fields in which configurations are not all the same. */
export function differences(configs: readonly RunConfig[]): ConfigDifference[] {
  const groups = ['model', 'data', 'training'] as const;
  return groups.flatMap((group) => {
    const fields = new Set(configs.flatMap((config) => Object.keys(config[group])));
    return [...fields].flatMap((field) => {
      const values = configs.map((config) => shown(config[group][field]));
      return values.some((value) => value !== values[0]) ? [{ group, field, values }] : [];
    });
  });
}

function shown(value: FieldValue | string[] | undefined): FieldValue | null {
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
