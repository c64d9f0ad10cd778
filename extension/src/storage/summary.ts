// What a checkpoint says about itself: its place in the run, its loss and its device, from the strings of the safetensors header.
// Only the header is read. The core checks the rest when it loads a checkpoint.
import type { DeviceName, TrainedOn } from '../messages/state.ts';
import { isRecord } from '../messages/validate.ts';

/** `epoch` counts finished epochs, `loss` is the validation loss after the last of them. */
export interface Summary {
  step: number | null;
  epoch: number | null;
  loss: number | null;
  device: DeviceName | null;
  data: TrainedOn | null;
}

export const NO_SUMMARY: Summary = {
  step: null,
  epoch: null,
  loss: null,
  device: null,
  data: null,
};

/** The format that is listed (wasm/io/FORMATS.md). */
const FORMAT = 'shadegrad/2';
const HEADER_LIMIT = 8 * 1024 * 1024;
const DIGITS = 64;

export class HeaderError extends Error {
  override readonly name = 'HeaderError';
}

/** Bytes that hold the header with its length, from the first eight bytes of a file of `size` bytes. */
export function headerSize(first: Uint8Array, size: number): number {
  if (first.length < 8) throw new HeaderError(`it ends after ${String(first.length)} bytes`);
  const length = Number(new DataView(first.buffer, first.byteOffset, 8).getBigUint64(0, true));
  if (length < 2 || length > HEADER_LIMIT || 8 + length > size) {
    throw new HeaderError(`its header of ${String(length)} bytes does not fit into the file`);
  }
  return 8 + length;
}

/** The header's strings, when the file of `size` bytes is as long as the header says. */
export function readMetadata(header: Uint8Array, size: number): Record<string, unknown> {
  const parsed = parseJson(new TextDecoder().decode(header.subarray(8)));
  if (!isRecord(parsed)) throw new HeaderError('its header is not a JSON object');
  let end = 0;
  for (const [name, tensor] of Object.entries(parsed)) {
    if (name === '__metadata__') continue;
    const offsets = isRecord(tensor) ? tensor['data_offsets'] : null;
    if (!Array.isArray(offsets) || typeof offsets[1] !== 'number') {
      throw new HeaderError(`its tensor "${name}" has no place`);
    }
    end = Math.max(end, offsets[1]);
  }
  if (header.length + end !== size) {
    throw new HeaderError(
      `it has ${String(size)} bytes where ${String(header.length + end)} belong`,
    );
  }
  const metadata = parsed['__metadata__'];
  return isRecord(metadata) ? metadata : {};
}

/** Throws unless the header is of this version and is the one that was written, by its own hash. */
export async function checkHeader(
  header: Uint8Array<ArrayBuffer>,
  { format, header_sha256: expected }: Record<string, unknown>,
): Promise<void> {
  if (format !== FORMAT)
    throw new HeaderError(`its format is "${String(format)}", and this version reads "${FORMAT}"`);
  const text = new TextDecoder('latin1').decode(header);
  const field = `"header_sha256":"${String(expected)}"`;
  const at = text.indexOf(field) + field.length - 1 - DIGITS;
  if (typeof expected !== 'string' || expected.length !== DIGITS || at < 0)
    throw new HeaderError('its header has no hash');
  const blank = header.slice();
  blank.fill(0x30, at, at + DIGITS);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', blank));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (hex !== expected) throw new HeaderError('its header is not the one that was written');
}

/** From the metadata's JSON strings; what is not there is null. */
export function summaryOf(metadata: Record<string, unknown>): Summary {
  const state = parseJson(metadata['state']);
  const at = isRecord(state) ? state : {};
  const choice = parseJson(metadata['device']);
  return {
    step: numberOf(at['step']),
    epoch: numberOf(at['epoch']),
    loss: numberOf(at['validationLoss']),
    device: isRecord(choice) ? deviceOf(choice['device']) : null,
    data: dataOf(parseJson(metadata['dataset'])),
  };
}

function dataOf(value: unknown): TrainedOn | null {
  if (!isRecord(value) || typeof value['name'] !== 'string' || value['name'] === '') return null;
  return { name: value['name'], rows: numberOf(value['rows']), size: numberOf(value['size']) };
}

function deviceOf(value: unknown): DeviceName | null {
  return value === 'cpu' || value === 'webgl' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
