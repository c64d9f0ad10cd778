// A folder of images, one class a folder: each is looked at before it is decoded (a small file can claim to be a huge
// picture), decoded by the browser, brought to one size and handed to the core as bytes beside its class and name. What
// cannot be used is counted and told, and the rest goes on.
import { imageSize } from 'image-size';
import type { Bytes, Part, RandomAccess } from './access.ts';
import { endingOf, ReadingError } from './access.ts';
import type { WireRepair } from './columns_wire.ts';
import { COLUMNS, encodeBlock } from './columns_wire.ts';

const ENDINGS = new Set(['png', 'jpg', 'jpeg', 'webp', 'gif', 'bmp', 'avif']);
/** Pixels of one picture: above it decoding takes more memory than a tab should. */
const MOST_PIXELS = 100_000_000;
const MOST_FILE_BYTES = 256 * 1_048_576;
const BLOCK_BYTES = 4 * 1_048_576;

export interface ImageOptions {
  /** Both are pixels; pictures are stretched to them. */
  width: number;
  height: number;
  channels: 1 | 3;
}

/** Gives width x height RGBA bytes; throws when the file is no picture. */
export type DecodeImage = (
  bytes: Uint8Array<ArrayBuffer>,
  width: number,
  height: number,
) => Promise<Uint8ClampedArray | Uint8Array>;

export function isImage(name: string): boolean {
  return ENDINGS.has(endingOf(name));
}

/** The class of "photos/cats/1.png" is "cats"; a file that lies in no folder has none. */
export function classOf(path: string): string | null {
  const folders = path.split('/').slice(0, -1);
  return folders.at(-1) ?? null;
}

export function imagesPart(
  name: string,
  files: readonly RandomAccess[],
  options: ImageOptions,
  decode: DecodeImage = decodeInBrowser,
): Part {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    name,
    size: null,
    options: COLUMNS,
    chunks: () => blocks(name, sorted, options, decode),
  };
}

async function* blocks(
  name: string,
  files: readonly RandomAccess[],
  options: ImageOptions,
  decode: DecodeImage,
): Bytes {
  const { width, height, channels } = options;
  const each = width * height * channels;
  const rows = Math.max(1, Math.floor(BLOCK_BYTES / each));
  let block = new Block(each, rows);
  let used = 0;
  for (const [index, file] of files.entries()) {
    try {
      const rgba = await picture(file, width, height, decode);
      block.add(channels === 1 ? grey(rgba) : rgb(rgba), classOf(file.name), file.name);
      used += 1;
    } catch (error) {
      if (!(error instanceof ReadingError)) throw error;
      block.repairs.push({ line: index + 1, column: 0, kind: 'image', text: error.message });
    }
    if (block.rows < rows && block.repairs.length < 100) continue;
    yield block.encoded(options);
    block = new Block(each, rows);
  }
  if (used === 0) {
    const first = block.repairs[0]?.text ?? 'it holds no pictures';
    throw new ReadingError('images.none', `"${name}" has no picture that can be used: ${first}`);
  }
  if (block.rows > 0 || block.repairs.length > 0) yield block.encoded(options);
}

/** Rows that wait to be sent. */
class Block {
  rows = 0;
  readonly repairs: WireRepair[] = [];
  readonly #pixels: Uint8Array;
  readonly #classes: (string | null)[] = [];
  readonly #names: string[] = [];
  readonly #each: number;

  constructor(each: number, rows: number) {
    this.#each = each;
    this.#pixels = new Uint8Array(each * rows);
  }

  add(pixels: Uint8Array, label: string | null, name: string): void {
    this.#pixels.set(pixels, this.rows * this.#each);
    this.#classes.push(label);
    this.#names.push(name);
    this.rows += 1;
  }

  encoded({ width, height, channels }: ImageOptions): Uint8Array<ArrayBuffer> {
    const values = this.#pixels.subarray(0, this.rows * this.#each);
    return encodeBlock(
      this.rows,
      [
        { name: 'image', kind: 'u8', shape: [height, width, channels], values },
        { name: 'class', kind: 'text', values: this.#classes },
        { name: 'file', kind: 'text', values: this.#names },
      ],
      this.repairs,
    );
  }
}

async function picture(
  file: RandomAccess,
  width: number,
  height: number,
  decode: DecodeImage,
): Promise<Uint8ClampedArray | Uint8Array> {
  if (file.size === 0 || file.size > MOST_FILE_BYTES) {
    throw unusable(file.name, `it has ${String(file.size)} bytes`);
  }
  const bytes = await file.read(0, file.size);
  const claimed = sizeOf(file.name, bytes);
  if (claimed.width * claimed.height > MOST_PIXELS) {
    throw unusable(
      file.name,
      `it claims ${String(claimed.width)} x ${String(claimed.height)} pixels; at most ${String(MOST_PIXELS)} are decoded`,
    );
  }
  try {
    return await decode(bytes, width, height);
  } catch (error) {
    throw unusable(file.name, `the browser can't decode it (${messageOf(error)})`);
  }
}

function sizeOf(name: string, bytes: Uint8Array): { width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch (error) {
    throw unusable(name, `it is no picture that is known (${messageOf(error)})`);
  }
}

function unusable(name: string, why: string): ReadingError {
  return new ReadingError('images.unusable', `"${name}" was left out: ${why}.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Transparent pixels lie on white, as a person sees them on a page. */
async function decodeInBrowser(
  bytes: Uint8Array<ArrayBuffer>,
  width: number,
  height: number,
): Promise<Uint8ClampedArray> {
  const bitmap = await createImageBitmap(new Blob([bytes]), {
    resizeWidth: width,
    resizeHeight: height,
    resizeQuality: 'high',
  });
  try {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (context === null) throw new Error('no canvas to be had');
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, width, height).data;
  } finally {
    bitmap.close();
  }
}

function rgb(rgba: Uint8ClampedArray | Uint8Array): Uint8Array {
  const out = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    out[to] = rgba[from] ?? 0;
    out[to + 1] = rgba[from + 1] ?? 0;
    out[to + 2] = rgba[from + 2] ?? 0;
  }
  return out;
}

/** Luma after ITU-R BT.601. */
function grey(rgba: Uint8ClampedArray | Uint8Array): Uint8Array {
  const out = new Uint8Array(rgba.length / 4);
  for (let i = 0; i < out.length; i += 1) {
    const [r = 0, g = 0, b = 0] = rgba.subarray(4 * i, 4 * i + 3);
    out[i] = Math.round(0.299 * r + 0.587 * g + 0.114 * b);
  }
  return out;
}
