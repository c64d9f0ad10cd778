// The harness that drives other libraries. It is not part of this repository: a folder with a bench.mjs that takes
// --peers, --workloads, --adapter NAME:BACKEND=FILE, --root and --out, and is ready (npm ci && node build.mjs). It runs
// a cell in a fresh browser and appends nothing to its own folder. One cell is asked for at a time, so that the order,
// the rounds and the time are ours.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BUILD } from '../e2e/lib/world.mjs';
import { ADAPTER, ADAPTER_FOLDER } from './cells.mjs';
import { isOurs } from './table.mjs';

export const WANTED = `Other libraries are measured by a harness that is not in this repository: the folder "peers" that goes with
the project's issue on speed. Run "npm ci && node build.mjs" in it once, and name it with --harness DIR.`;

export class Harness {
  constructor(folder) {
    this.folder = resolve(folder);
    const missing = ['bench.mjs', 'node_modules', 'dist'].filter(
      (name) => !existsSync(join(this.folder, name)),
    );
    if (missing.length > 0) {
      throw new Error(`${this.folder} has no ${missing.join(', ')}.\n${WANTED}`);
    }
  }

  /** {peers, workloads}: the names that it knows. */
  async names() {
    const { text } = await this.#spawn(['--list'], 30_000);
    const of = (word) => text.match(new RegExp(`^${word} (.*)$`, 'm'))?.[1].split(' ') ?? [];
    return { peers: of('peers'), workloads: of('workloads') };
  }

  /** The cells of one library on one workload: none where the harness knows that it cannot. */
  async run(peer, workload, { quick, budgetMs, limitMs }) {
    const out = join(BUILD, 'bench/cell.json');
    mkdirSync(join(BUILD, 'bench'), { recursive: true });
    rmSync(out, { force: true });
    const who = isOurs(peer)
      ? ['--peers', 'none', '--adapter', `${peer}=${ADAPTER}`, '--root', ADAPTER_FOLDER]
      : ['--peers', peer];
    const times = ['--budget', String(budgetMs), '--limit', String(limitMs)];
    const { text } = await this.#spawn(
      ['--workloads', workload, '--out', out, ...who, ...times, ...(quick ? ['--quick'] : [])],
      2 * limitMs + 60_000,
    );
    if (!existsSync(out)) throw new Error(`the harness wrote no result:\n${text}`);
    return JSON.parse(readFileSync(out, 'utf8')).cells;
  }

  #spawn(args, limitMs) {
    return new Promise((done, fail) => {
      const child = spawn(process.execPath, ['bench.mjs', ...args], { cwd: this.folder });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data) => (text += data));
      const late = setTimeout(() => child.kill('SIGTERM'), limitMs);
      child.once('error', fail);
      child.once('close', (code) => {
        clearTimeout(late);
        if (code === 0) done({ text });
        else fail(new Error(`the harness ended with ${code}:\n${text}`));
      });
    });
  }
}
