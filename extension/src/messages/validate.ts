// Checks for what comes from outside: messages of pages, replies of the core, messages of the native host. Each check
// takes an unknown value and the path to it and gives back the typed value, or throws a MessageError that names the
// path, what was expected and what was there. Objects are rebuilt from the named fields alone.

export class MessageError extends Error {
  override readonly name = 'MessageError';
  readonly code = 'message.invalid';
}

export type Check<T> = (value: unknown, path: string) => T;
export type Checked<C> = C extends Check<infer T> ? T : never;

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${String(value.length)}`;
  if (typeof value === 'number') return `the number ${String(value)}`;
  if (typeof value === 'string') return `a text of ${String(value.length)} characters`;
  return value === undefined ? 'missing' : `a value of type ${typeof value}`;
}

function refuse(path: string, expected: string, value: unknown): never {
  throw new MessageError(`${path} must be ${expected}, but is ${describe(value)}.`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const text =
  (maxLength = 10_000, minLength = 0): Check<string> =>
  (value, path) =>
    typeof value === 'string' && value.length >= minLength && value.length <= maxLength
      ? value
      : refuse(path, `a text of ${String(minLength)} to ${String(maxLength)} characters`, value);

export const number =
  (min = -Number.MAX_VALUE, max = Number.MAX_VALUE): Check<number> =>
  (value, path) =>
    typeof value === 'number' && value >= min && value <= max
      ? value
      : refuse(path, `a finite number between ${String(min)} and ${String(max)}`, value);

export const integer =
  (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Check<number> =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : refuse(path, `a whole number between ${String(min)} and ${String(max)}`, value);

/** Any number that JSON can hold. */
export const anyNumber: Check<number> = number();

/** JSON has no NaN: a missing value arrives as null. */
export const numberOrNaN: Check<number> = (value, path) =>
  value === null ? NaN : anyNumber(value, path);

/** A value of a model's field: a number, true or false, or one of a choice's texts. */
export const fieldValue: Check<number | boolean | string> = (value, path) =>
  typeof value === 'boolean'
    ? value
    : typeof value === 'string'
      ? text(100, 1)(value, path)
      : anyNumber(value, path);

export const record: Check<Record<string, unknown>> = (value, path) =>
  isRecord(value) ? value : refuse(path, 'an object', value);

/** An object whose values are all of one kind. */
export const mapOf =
  <T>(item: Check<T>): Check<Record<string, T>> =>
  (value, path) =>
    Object.fromEntries(
      Object.entries(record(value, path)).map(([name, entry]) => [
        name,
        item(entry, `${path}.${name}`),
      ]),
    );

export const boolean: Check<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(path, 'true or false', value);

export const oneOf =
  <const T extends string>(...names: T[]): Check<T> =>
  (value, path) =>
    names.find((name) => name === value) ?? refuse(path, `one of ${names.join(', ')}`, value);

export const list =
  <T>(item: Check<T>, maxLength: number, minLength = 0): Check<T[]> =>
  (value, path) =>
    Array.isArray(value) && value.length >= minLength && value.length <= maxLength
      ? value.map((entry, i) => item(entry, `${path}[${String(i)}]`))
      : refuse(path, `a list of ${String(minLength)} to ${String(maxLength)} entries`, value);

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, path) =>
    value === null || value === undefined ? null : check(value, path);

export const withDefault =
  <T>(check: Check<T>, fallback: T): Check<T> =>
  (value, path) =>
    value === undefined ? fallback : check(value, path);

/** An instance of a browser class such as File, which structured cloning keeps. */
export const instance =
  <T>(type: abstract new (...args: never[]) => T, name: string): Check<T> =>
  (value, path) =>
    value instanceof type ? value : refuse(path, `a ${name}`, value);

export const anything: Check<unknown> = (value) => value;

type Fields = Record<string, Check<unknown>>;
type ObjectOf<R extends Fields, O extends Fields> = { [K in keyof R]: Checked<R[K]> } & {
  [K in keyof O]?: Checked<O[K]>;
};

/** `required` fields must be there; `optional` ones are left out when they are not. */
export const object =
  <R extends Fields, O extends Fields = Record<never, never>>(
    required: R,
    optional?: O,
  ): Check<ObjectOf<R, O>> =>
  (value, path) => {
    if (!isRecord(value)) return refuse(path, 'an object', value);
    const result: Record<string, unknown> = {};
    for (const [name, check] of Object.entries(required)) {
      result[name] = check(own(value, name), `${path}.${name}`);
    }
    for (const [name, check] of Object.entries(optional ?? {})) {
      const field = own(value, name);
      if (field !== undefined) result[name] = check(field, `${path}.${name}`);
    }
    return result as ObjectOf<R, O>;
  };

/** Picks the check by the value's `key` field. */
export const variant =
  <V extends Record<string, Check<object>>>(key: string, variants: V): Check<Checked<V[keyof V]>> =>
  (value, path) => {
    if (!isRecord(value)) return refuse(path, 'an object', value);
    const name = own(value, key);
    const check =
      typeof name === 'string' && Object.hasOwn(variants, name) ? variants[name] : undefined;
    if (check === undefined)
      return refuse(`${path}.${key}`, `one of ${Object.keys(variants).join(', ')}`, name);
    return { ...check(value, path), [key]: name } as Checked<V[keyof V]>;
  };

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
