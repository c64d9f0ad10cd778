// run.json, in which a run's folder holds what the person calls the run and says of it; native_host/PROTOCOL.md
// ("Runs") has the form.
import * as v from '../messages/validate.ts';
import type { RunWords } from './checkpoint_store.ts';

export const RUN_FILE = 'run.json';
const FORMAT = 'shadegrad-run/1';

const check = v.object({ format: v.oneOf(FORMAT), name: v.text(400), note: v.text(8000) });

export function runFile({ name, note }: RunWords): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify({ format: FORMAT, name, note })}\n`);
}

/** Throws when the bytes are none. */
export function runWords(bytes: Uint8Array): RunWords {
  const { name, note } = check(JSON.parse(new TextDecoder().decode(bytes)), RUN_FILE);
  return { name, note };
}
