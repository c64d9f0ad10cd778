// The limits that forms and validators use are those that the core enforces.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../extension/src/messages/limits.ts';

test('every limit is the core’s', () => {
  const source = readFileSync(new URL('../../../wasm/train/config.cpp', import.meta.url), 'utf8');
  const core = new Map<string, [number, number]>();
  const row = /v\.number\("\w+", "(\w+)", c\.\w+, ([-\d.e]+), ([-\d.e]+)\)/g;
  for (const [, name = '', min, max] of source.matchAll(row))
    core.set(name, [Number(min), Number(max)]);
  expect(core.size).toBeGreaterThan(10);
  for (const [name, limits] of Object.entries(LIMITS))
    expect([name, limits]).toEqual([name, core.get(name)]);
});
