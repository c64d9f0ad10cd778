import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { classOf, imagesPart, isImage } from '../../../extension/src/reading/images.ts';
import { bytesFile } from './golden.ts';
import { blocksOf, column } from './wire.ts';

/** A PNG's start, which is all that is looked at before decoding. */
function png(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  bytes.set(deflateSync(new Uint8Array(3)).subarray(0, 8), 40);
  return bytes;
}

/** A decoder that gives the file's width as red, its height as green, and half transparency. */
const decode = (bytes: Uint8Array<ArrayBuffer>, width: number, height: number) => {
  const view = new DataView(bytes.buffer);
  const pixel = [view.getUint32(16) % 256, view.getUint32(20) % 256, 7, 255];
  return Promise.resolve(Uint8Array.from({ length: width * height * 4 }, (_, i) => pixel[i % 4]!));
};

const options = { width: 2, height: 3, channels: 3 as const };

describe('a folder of images', () => {
  it('gives pixels, classes and names, sorted by path', async () => {
    const files = [
      bytesFile('pets/dogs/b.png', png(20, 30)),
      bytesFile('pets/cats/a.png', png(10, 5)),
      bytesFile('pets/dogs/a.png', png(11, 6)),
    ];
    const blocks = await blocksOf(imagesPart('pets', files, options, decode));
    expect(blocks[0]!.columns['image']).toMatchObject({ kind: 'u8', shape: [3, 2, 3] });
    expect(column(blocks, 'class')).toEqual(['cats', 'dogs', 'dogs']);
    expect(column(blocks, 'file')).toEqual([
      'pets/cats/a.png',
      'pets/dogs/a.png',
      'pets/dogs/b.png',
    ]);
    const pixels = column(blocks, 'image');
    expect(pixels.length).toBe(3 * 2 * 3 * 3);
    expect(pixels.slice(0, 3)).toEqual([10, 5, 7]);
    expect(pixels.slice(36, 39)).toEqual([20, 30, 7]);
  });

  it('makes grey of colours by their brightness', async () => {
    const files = [bytesFile('a/1.png', png(100, 200))];
    const blocks = await blocksOf(imagesPart('a', files, { ...options, channels: 1 }, decode));
    expect(column(blocks, 'image')).toEqual(
      Array(6).fill(Math.round(0.299 * 100 + 0.587 * 200 + 0.114 * 7)),
    );
  });

  it('leaves out what claims to be huge before it is decoded, and says so', async () => {
    let decoded = 0;
    const counting: typeof decode = (...args) => {
      decoded += 1;
      return decode(...args);
    };
    const files = [
      bytesFile('a/huge.png', png(65_500, 65_500)),
      bytesFile('a/none.png', new Uint8Array([1, 2, 3])),
      bytesFile('a/empty.png', new Uint8Array(0)),
      bytesFile('a/good.png', png(8, 8)),
    ];
    const blocks = await blocksOf(imagesPart('a', files, options, counting));
    expect(decoded).toBe(1);
    expect(column(blocks, 'file')).toEqual(['a/good.png']);
    const repairs = blocks.flatMap((block) => block.repairs);
    expect(repairs.map(({ text }) => text.split('"')[1])).toEqual([
      'a/empty.png',
      'a/huge.png',
      'a/none.png',
    ]);
    expect(repairs[1]!.text).toContain('65500 x 65500');
  });

  it('goes on after a picture that the browser refuses', async () => {
    const refusing: typeof decode = (bytes, width, height) =>
      bytes[19] === 9 ? Promise.reject(new Error('bad checksum')) : decode(bytes, width, height);
    const files = [bytesFile('a/1.png', png(9, 9)), bytesFile('a/2.png', png(8, 8))];
    const blocks = await blocksOf(imagesPart('a', files, options, refusing));
    expect(column(blocks, 'file')).toEqual(['a/2.png']);
    expect(blocks[0]!.repairs[0]!.text).toContain('bad checksum');
  });

  it('without one picture that can be used is refused with the first reason', async () => {
    const files = [bytesFile('a/1.png', new Uint8Array([1]))];
    await expect(blocksOf(imagesPart('a', files, options, decode))).rejects.toMatchObject({
      code: 'images.none',
      message: expect.stringContaining('a/1.png'),
    });
  });

  it('sends many pictures in blocks of a few megabytes', async () => {
    const big = { width: 512, height: 512, channels: 3 as const };
    const files = Array.from({ length: 12 }, (_, i) => bytesFile(`a/${String(i)}.png`, png(4, 4)));
    const blocks = await blocksOf(imagesPart('a', files, big, decode));
    expect(blocks.map(({ rows }) => rows)).toEqual([5, 5, 2]);
  });

  it('knows pictures by their endings and classes by their folders', () => {
    expect([isImage('a/b.JPEG'), isImage('a.csv'), isImage('.png')]).toEqual([true, false, false]);
    expect([classOf('a/b/c.png'), classOf('c.png')]).toEqual(['b', null]);
  });
});
