import { describe, expect, it } from 'vitest';
import { encodeBlocks } from '../../../extension/src/reading/columns_wire.ts';
import type { WireColumn } from '../../../extension/src/reading/columns_wire.ts';
import { blocksOf, column } from './wire.ts';

async function blocks(rows: number, columns: WireColumn[]) {
  const chunks = async function* () {
    yield* encodeBlocks(rows, columns);
  };
  return blocksOf({ name: '', size: null, options: {}, chunks });
}

describe('blocks of typed columns', () => {
  it('are cut where their texts would be too long, and lose nothing', async () => {
    const rows = 1001;
    const texts = Array.from({ length: rows }, (_, i) =>
      i % 9 === 4 ? null : 'ä'.repeat(5000) + String(i),
    );
    const numbers = Float64Array.from({ length: 2 * rows }, (_, i) => i);
    const all = await blocks(rows, [
      { name: 't', kind: 'text', values: texts },
      { name: 'n', kind: 'f64', values: numbers.slice(0, rows) },
      { name: 'e', kind: 'f32s', shape: [2], values: Float32Array.from(numbers) },
    ]);
    expect(all.length).toBeGreaterThan(3);
    expect(all.reduce((sum, block) => sum + block.rows, 0)).toBe(rows);
    expect(column(all, 't')).toEqual(texts);
    expect(column(all, 'n')).toEqual(Array.from(numbers.slice(0, rows)));
    expect(column(all, 'e')).toEqual(Array.from(numbers));
  });

  it('are one where they fit', async () => {
    expect(await blocks(3, [{ name: 'n', kind: 'f32', values: new Float32Array(3) }])).toHaveLength(
      1,
    );
  });
});
