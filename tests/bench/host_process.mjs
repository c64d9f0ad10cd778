// A native host as a child process, spoken to as a browser does: frames over two pipes.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ids = JSON.parse(readFileSync(new URL('../../packaging/ids.json', import.meta.url), 'utf8'));
/** The argument with which Chromium starts a host. */
export const ORIGIN = `chrome-extension://${ids.chromium.development}/`;

export function frame(message) {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(text.length);
  return Buffer.concat([head, text]);
}

/** Calls `message` with the text of each frame. */
export function decode(stream, message) {
  let parts = [];
  let have = 0;
  let need = 4;
  let inBody = false;
  stream.on('data', (chunk) => {
    parts.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const all = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      const piece = all.subarray(0, need);
      parts = [all.subarray(need)];
      have -= need;
      need = inBody ? 4 : piece.readUInt32LE();
      if (inBody) message(piece.toString('latin1'));
      inBody = !inBody;
    }
  });
}

/** A host after its hello: `ask` resolves with a request's reply, and gives the frames before it to `onFrame`. */
export async function startHost(program, home) {
  const child = spawn(program, [ORIGIN], {
    env: { HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map();
  let next = 1;
  decode(child.stdout, (text) => {
    const message = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
    const open = waiting.get(message.id);
    if (!open) return;
    if (message.ok === undefined) return open.onFrame(message);
    waiting.delete(message.id);
    if (message.ok) open.resolve(message);
    else open.reject(new Error(JSON.stringify(message)));
  });
  child.on('exit', (status) => {
    for (const { reject } of waiting.values()) reject(new Error(`the host ended (${status})`));
  });
  const ask = (type, fields = {}, onFrame = () => {}) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject, onFrame });
      child.stdin.write(frame({ ...fields, id, type }));
    });
  await ask('hello', { protocol: { min: 1, max: 1 }, extension: '0.1.0' });
  return {
    pid: child.pid,
    ask,
    /** The most memory that the process has had, in bytes. */
    peak: () =>
      1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]),
    end: () =>
      new Promise((resolve) => {
        child.on('exit', resolve);
        child.stdin.end();
      }),
  };
}

/** Raw bytes a second of a dataset.read of `size` bytes, with 16 frames of credit. */
export function streamRate(program, args, dataset, home, size) {
  const credits = 16;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { HOME: home }, stdio: ['pipe', 'pipe', 'inherit'] });
    const began = process.hrtime.bigint();
    let frames = 0;
    child.on('error', reject);
    decode(child.stdout, (text) => {
      if (text.includes('"ok":false')) reject(new Error(text));
      if (text.includes('"dataset.data"')) {
        frames += 1;
        if (frames % 8 === 0) child.stdin.write(frame({ type: 'flow.credit', id: 2, frames: 8 }));
      } else if (text.includes('"dataset.end"')) {
        child.stdin.end();
        resolve(size / (Number(process.hrtime.bigint() - began) / 1e9));
      }
    });
    child.stdin.write(
      frame({ id: 1, type: 'hello', protocol: { min: 1, max: 1 }, extension: '0.1.0' }),
    );
    child.stdin.write(frame({ id: 2, type: 'dataset.read', path: dataset, credits }));
  });
}
