// The real host as these tests drive it: started as a browser starts it, spoken to in frames, killed or cut off at will.
// And checkpoints whose every byte follows from a number, so that what is found later can be told apart and checked.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readCheckpoint } from '../../golden/safetensors.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const PROGRAM = join(root, 'build/native/native_host/shadegrad-host');
const IDS = JSON.parse(readFileSync(join(root, 'packaging/ids.json'), 'utf8'));
const ORIGIN = `chrome-extension://${IDS.chromium.development}/`;
const PIECE = 524_288;
const WINDOW = 4;

/** Whether the long form of these tests was asked for: packaging/test.sh --full faults. */
export const FULL = process.env.FAULTS === 'full';

/** The run and the file that are saved over and over. */
export const RUN = 'run/';
export const NAME = `${RUN}step.safetensors`;

/** Numbers that follow from a seed (xorshift), the same on every machine. */
export function numbersFrom(seed) {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** A whole checkpoint of about `bytes`, with two tensors of finite floats. */
export function checkpoint(seed, bytes) {
  const half = Math.max(1, Math.floor(bytes / 8));
  const next = numbersFrom(seed);
  const pattern = Float32Array.from({ length: Math.min(half, 65_537) }, () => next() - 0.5);
  const values = new Float32Array(half);
  for (let at = 0; at < half; at += pattern.length) {
    values.set(pattern.subarray(0, Math.min(pattern.length, half - at)), at);
  }
  values[0] = seed;
  const data = Buffer.from(values.buffer);
  const sha256 = (part) => createHash('sha256').update(part).digest('hex');
  const digits = '0'.repeat(64);
  const json = JSON.stringify({
    __metadata__: {
      format: 'shadegrad/2',
      header_sha256: digits,
      seed: String(seed),
      sha256: JSON.stringify({ a: sha256(data), b: sha256(data) }),
    },
    a: { dtype: 'F32', shape: [half], data_offsets: [0, data.length] },
    b: { dtype: 'F32', shape: [half], data_offsets: [data.length, 2 * data.length] },
  });
  const padded = json + ' '.repeat((8 - (Buffer.byteLength(json) % 8)) % 8);
  const header = Buffer.alloc(8 + Buffer.byteLength(padded));
  header.writeBigUInt64LE(BigInt(Buffer.byteLength(padded)));
  header.write(padded, 8);
  const at = header.indexOf(`"header_sha256":"${digits}"`) + '"header_sha256":"'.length;
  header.write(sha256(header), at);
  return Buffer.concat([header, data, data]);
}

/** The seed of a file that is whole; throws when a byte of it is not as it was. */
export function seedOf(file) {
  return Number(readCheckpoint(file).metadata.seed);
}

function frame(message) {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

/** The frames of a save, made once and sent many times: what is timed or torn is then the host alone. */
export function savingFrames(name, bytes) {
  const writes = [];
  for (let at = 0, sequence = 0; at < bytes.length; at += PIECE, sequence += 1) {
    writes.push({ sequence, bytes: bytes.subarray(at, at + PIECE).toString('base64') });
  }
  return { name, size: bytes.length, writes };
}

/** A person's home with nothing in it but what the host makes. */
export class Home {
  constructor(path = mkdtempSync(join(tmpdir(), 'shadegrad-faults-'))) {
    this.path = path;
    this.checkpoints = join(path, 'Shadegrad/checkpoints');
    mkdirSync(path, { recursive: true });
  }

  file(name = NAME) {
    return join(this.checkpoints, name);
  }

  put(bytes, name = NAME) {
    mkdirSync(dirname(this.file(name)), { recursive: true });
    writeFileSync(this.file(name), bytes);
  }

  /** The seed of the checkpoint that stands, or null; throws when it is not whole. */
  seed(name = NAME) {
    return existsSync(this.file(name)) ? seedOf(readFileSync(this.file(name))) : null;
  }

  /** Whatever lies below the checkpoints and is no checkpoint: a save's hidden file, for one. */
  leftovers() {
    if (!existsSync(this.checkpoints)) return [];
    return readdirSync(this.checkpoints, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name));
  }

  /** What the next start of a host leaves behind: it must be nothing. */
  async leftoversAfterStart() {
    const host = await Host.start(this);
    await host.request({ type: 'checkpoint.list' });
    const left = this.leftovers();
    await host.end();
    return left;
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export class Host {
  static async start(home, { hello = true, prefix = [], env = {} } = {}) {
    const host = new Host(home, prefix, env);
    if (hello) await host.hello();
    return host;
  }

  constructor(home, prefix, env) {
    const [program, ...args] = [...prefix, PROGRAM, ORIGIN];
    this.child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { HOME: home.path, PATH: process.env.PATH, UV_USE_IO_URING: '0', ...env },
    });
    this.waiting = new Map();
    this.nextId = 1;
    this.stderr = '';
    this.child.stderr.on('data', (chunk) => (this.stderr += chunk));
    this.child.stdin.on('error', () => {}); // it is gone: `exited` tells
    this.exited = new Promise((done) => {
      this.child.on('exit', (code, signal) => {
        for (const { fail } of this.waiting.values()) fail(new Error('the host is gone'));
        this.waiting.clear();
        done({ code, signal });
      });
    });
    this.#listen();
  }

  get pid() {
    return this.child.pid;
  }

  hello() {
    return this.request({ type: 'hello', protocol: { min: 1, max: 1 }, extension: '0.1.0' });
  }

  #listen() {
    let buffer = Buffer.alloc(0);
    this.child.stdout.on('data', (chunk) => {
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
      while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32LE(0)) {
        const end = 4 + buffer.readUInt32LE(0);
        this.#take(JSON.parse(buffer.toString('utf8', 4, end)));
        buffer = buffer.subarray(end);
      }
    });
  }

  #take(message) {
    const waiting = this.waiting.get(message.id);
    if (waiting === undefined || message.ok === undefined) return;
    this.waiting.delete(message.id);
    if (message.ok) waiting.done(message);
    else waiting.fail(Object.assign(new Error(`${message.code}: ${message.message}`), message));
  }

  request(fields) {
    const id = this.nextId;
    this.nextId += 1;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail });
      this.child.stdin.write(frame({ id, ...fields }));
    });
  }

  /** Resolves when the host has acknowledged the whole save. */
  async save({ name, size, writes }) {
    const { handle } = await this.request({ type: 'checkpoint.begin', name, size });
    const open = [];
    for (const { sequence, bytes } of writes) {
      const reply = this.request({ type: 'checkpoint.write', handle, sequence, bytes });
      reply.catch(() => {}); // told where it is awaited
      open.push(reply);
      if (open.length >= WINDOW) await open.shift();
    }
    for (const reply of open) await reply;
    return this.request({ type: 'checkpoint.commit', handle });
  }

  kill() {
    this.child.kill('SIGKILL');
    return this.exited;
  }

  /** Ends the input, as a closed port does; gives how many milliseconds the host took to go. */
  async end() {
    const begun = performance.now();
    this.child.stdin.end();
    const gone = await Promise.race([this.exited, sleep(5000, null, { ref: false })]);
    if (gone === null) {
      await this.kill();
      throw new Error('the host lives on 5 s after the end of its input');
    }
    return performance.now() - begun;
  }
}
