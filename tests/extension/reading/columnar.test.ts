import { describe, expect, it } from 'vitest';
import { partsOf } from '../../../extension/src/reading/open.ts';
import { bytesFile, expectedColumns, golden, goldenBytes } from './golden.ts';
import { blocksOf, column } from './wire.ts';

async function check(file: string, rows: number): Promise<number> {
  const [part] = await partsOf(file, [golden(file)]);
  expect(part!.options).toEqual({ format: 'columns' });
  const blocks = await blocksOf(part!);
  const expected = expectedColumns(rows);
  expect(Object.keys(blocks[0]!.columns)).toEqual(Object.keys(expected));
  for (const [name, { kind, values }] of Object.entries(expected)) {
    expect(blocks[0]!.columns[name]!.kind, name).toBe(kind);
    const got = column(blocks, name);
    expect(got.length, name).toBe(rows);
    if (kind === 'text') expect(got, name).toEqual(values);
    else
      got.forEach((value, i) => {
        const wanted = values[i] as number;
        if (Number.isNaN(wanted)) expect(value, `${name} ${String(i)}`).toBeNaN();
        else expect(value, `${name} ${String(i)}`).toBeCloseTo(wanted, 9);
      });
  }
  return blocks.length;
}

describe('columnar files', () => {
  it.each(['snappy.parquet', 'gzip_v2.parquet', 'plain.feather', 'zstd.feather', 'stream.arrows'])(
    '%s gives the values that its writer put in, missing ones included',
    async (file) => {
      await check(file, 40);
    },
  );

  it.each(['groups_zstd.parquet', 'lz4.feather'])('%s comes group by group', async (file) => {
    expect(await check(file, 3000)).toBe(3);
  });

  it('a file of nested columns alone is refused by their names', async () => {
    await expect(partsOf('x', [golden('nested_only.parquet')])).rejects.toMatchObject({
      code: 'parquet.no_columns',
      message: expect.stringContaining('"nested"'),
    });
  });

  it.each([
    'snappy.parquet',
    'groups_zstd.parquet',
    'plain.feather',
    'lz4.feather',
    'stream.arrows',
  ])('%s, cut or changed anywhere, gives values or a message that names it', async (file) => {
    const whole = goldenBytes(file);
    for (let i = 0; i < 60; i += 1) {
      const at = Math.floor((whole.length * (i + 0.5)) / 60);
      const cut = whole.slice(0, at);
      const changed = whole.slice();
      changed[at] = changed[at]! ^ 0x55;
      for (const bytes of [cut, changed]) {
        try {
          const [part] = await partsOf(file, [bytesFile(file, bytes)]);
          await blocksOf(part!);
        } catch (error) {
          expect(error).toMatchObject({
            code: expect.stringMatching(/^(parquet|arrow)\./),
            message: expect.stringContaining(file),
          });
        }
      }
    }
  });

  it('what the source of a file says comes through', async () => {
    const bytes = goldenBytes('snappy.parquet');
    const gone = {
      ...bytesFile('gone.parquet', bytes),
      read: (start: number, end: number) =>
        start === 0 && end < 20
          ? Promise.resolve(bytes.slice(0, 16))
          : Promise.reject(
              Object.assign(new Error('the file is gone'), { code: 'source.vanished' }),
            ),
    };
    await expect(partsOf('x', [gone])).rejects.toMatchObject({ code: 'source.vanished' });
  });
});
