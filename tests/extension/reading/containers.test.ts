import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../../extension/src/reading/access.ts';
import { sideBySide } from '../../../extension/src/reading/npz.ts';
import { partsOf } from '../../../extension/src/reading/open.ts';
import { bytesFile, golden, goldenBytes } from './golden.ts';

const TABLE = `a,b\n${Array.from({ length: 200 }, (_, i) => `${String(i)},${i % 2 === 0 ? `${String(i / 2)}.0` : String(i / 2)}\n`).join('')}`;

/** The rule's own examples, which the host's reader is held to as well. */
const CASES = JSON.parse(
  readFileSync(new URL('../../golden/side_by_side.json', import.meta.url), 'utf8'),
) as { what: string; shapes: string[]; arrays?: string[]; leftOut: (string | null)[] }[];

async function textOf(part: Part): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of part.chunks()) chunks.push(chunk);
  return new Blob(chunks).text();
}

describe('packed files', () => {
  it('gzip gives the file inside under its own name', async () => {
    const parts = await partsOf('x', [golden('table.csv.gz')]);
    expect(parts).toMatchObject([{ name: 'table.csv', size: null, options: {} }]);
    expect(await textOf(parts[0]!)).toBe(TABLE);
  });

  it('an archive with one table gives it, and what systems put beside files is left out', async () => {
    const parts = await partsOf('x', [golden('one.zip')]);
    expect(parts).toMatchObject([{ name: 'data/table.csv', size: TABLE.length }]);
    expect(await textOf(parts[0]!)).toBe(TABLE);
    expect(await textOf(parts[0]!)).toBe(TABLE);
  });

  it('an archive with two tables asks which, and the option answers', async () => {
    await expect(partsOf('x', [golden('two.zip')])).rejects.toMatchObject({
      code: 'container.choose',
      message: expect.stringMatching(/"a\.csv", "b\.csv"/),
    });
    const [part] = await partsOf('x', [golden('two.zip')], { member: 'b.csv' });
    expect(part!.name).toBe('b.csv');
    await expect(partsOf('x', [golden('two.zip')], { member: 'c.csv' })).rejects.toMatchObject({
      code: 'container.choose',
      message: expect.stringContaining('there is no "c.csv"'),
    });
  });

  it('arrays of an archive stand side by side', async () => {
    const parts = await partsOf('x', [golden('arrays.npz')]);
    expect(parts).toMatchObject([
      { name: 'x', options: { format: 'npy' } },
      { name: 'y', options: { format: 'npy' } },
    ]);
    expect((await textOf(parts[0]!)).slice(1, 6)).toBe('NUMPY');
  });

  describe('arrays of unequal rows', () => {
    const npy = (shape: string, version = 1): Uint8Array<ArrayBuffer> => {
      const header = `{'descr': '|u1', 'fortran_order': False, 'shape': ${shape}, }\n`;
      const length = version === 1 ? [header.length, 0] : [header.length, 0, 0, 0];
      const text = Array.from(header, (character) => character.charCodeAt(0));
      return Uint8Array.from([0x93, ...Buffer.from('NUMPY'), version, 0, ...length, ...text]);
    };
    const read = async (shapes: string[], chosen?: string[]): Promise<(string | undefined)[]> => {
      const parts = shapes.map((shape, i): Part => ({
        name: `a${String(i)}`,
        size: null,
        options: {},
        async *chunks() {
          // In pieces that cut the header.
          const bytes = npy(shape, 1 + (i % 2));
          for (let at = 0; at < bytes.length; at += 9) yield bytes.slice(at, at + 9);
        },
      }));
      return (await sideBySide(parts, chosen)).map(({ leftOut }) => leftOut);
    };

    it.each(CASES)(
      'are chosen as the host chooses them: $what',
      async ({ shapes, arrays, leftOut }) => {
        const expected = leftOut.map((why, i) =>
          why === null ? undefined : `"a${String(i)}" was left out: ${why}`,
        );
        expect(await read(shapes, arrays)).toEqual(expected);
      },
    );

    it('that are no arrays at all are left to their reader', async () => {
      const part = (bytes: Uint8Array<ArrayBuffer>): Part => ({
        name: 'x',
        size: null,
        options: {},
        async *chunks() {
          yield bytes;
        },
      });
      const bad = [part(new Uint8Array(40)), part(new Uint8Array(3))];
      expect(await sideBySide(bad)).toMatchObject(bad);
      expect((await sideBySide(bad)).map(({ leftOut }) => leftOut)).toEqual([undefined, undefined]);
      const [, left] = await sideBySide([part(npy('(5,)')), part(new Uint8Array(40))]);
      expect(left!.leftOut).toMatch(/has no rows/);
    });
  });

  it('arrays of an archive are chosen by their names, and a name that none has is refused', async () => {
    const parts = await partsOf('x', [golden('arrays.npz')], { arrays: ['y'] });
    expect(parts).toMatchObject([
      { name: 'x', rows: 4, leftOut: '"x" was left out: it was not chosen' },
      { name: 'y', rows: 4 },
    ]);
    expect(parts[1]).not.toHaveProperty('leftOut');
    await expect(
      partsOf('x', [golden('arrays.npz')], { arrays: ['y', 'z'] }),
    ).rejects.toMatchObject({
      code: 'npy.bad_option',
      message: 'There is no array "z" in it; there are "x", "y".',
    });
  });

  it('files picked together stand side by side', async () => {
    const parts = await partsOf('x', [
      bytesFile('images', new Uint8Array(9)),
      bytesFile('labels', new Uint8Array(3)),
    ]);
    expect(parts.map(({ name, size }) => [name, size])).toEqual([
      ['images', 9],
      ['labels', 3],
    ]);
  });

  it.each(['table.csv.gz', 'one.zip', 'arrays.npz'])(
    '%s, cut or changed at any byte, gives its content or a message that names it',
    async (file) => {
      const whole = goldenBytes(file);
      const told: string[] = [];
      for (let at = 0; at < whole.length; at += 7) {
        const changed = whole.slice();
        changed[at] = changed[at]! ^ 0x55;
        for (const bytes of [whole.slice(0, at), changed]) {
          try {
            const parts = await partsOf(file, [bytesFile(file, bytes)]);
            for (const part of parts) await textOf(part);
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^container\./) });
            expect((error as Error).message).toContain(file);
            told.push((error as Error).message);
          }
        }
      }
      expect(told.length).toBeGreaterThan(whole.length / 14);
    },
  );

  it('what unpacks to far more than it was is refused early', async () => {
    const bomb = gzipSync(new Uint8Array(90 * 1_048_576), { level: 9 });
    const [part] = await partsOf('x', [bytesFile('bomb.csv.gz', bomb)]);
    let bytes = 0;
    await expect(
      (async () => {
        for await (const chunk of part!.chunks()) bytes += chunk.length;
      })(),
    ).rejects.toMatchObject({ code: 'container.bomb' });
    expect(bytes).toBeLessThan(80 * 1_048_576);
  });
});
