// Seeds the faults of rules.mjs one at a time in a copy of the core, and expects the op cases to fail at each. A fault
// that survives names a missing case.
//   node tests/mutants/run.mjs               all faults: hours
//   node tests/mutants/run.mjs --five        five of them, others every day
//   node tests/mutants/run.mjs --from 20 --to 40
// Writes "ok WHAT" and "failed WHAT" lines to --report FILE.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faults } from './rules.mjs';

const ROOT = new URL('../..', import.meta.url).pathname;
const COPY = join(ROOT, 'build/mutants');
const DAY = 86_400_000;
const { values: options } = parseArgs({
  options: {
    five: { type: 'boolean', default: false },
    from: { type: 'string', default: '0' },
    to: { type: 'string', default: '1000000' },
    report: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const say = (text) => process.stdout.write(`${text}\n`);

/** Lines, or single faults, that change nothing that the op cases can observe: "FILE: LINE OR FAULT  # reason". */
const EQUIVALENT = new Map(
  readFileSync(new URL('equivalent.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('  # ')),
);
const titleOf = ({ file, what }) => `${file}: ${what}`;

function isEquivalent(fault) {
  const { file, at } = fault;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at));
  return EQUIVALENT.has(titleOf(fault)) || EQUIVALENT.has(`${file}: ${line.trim()}`);
}

/** The sources that include a file which is not compiled itself: rebuilding only these is enough. */
function readersOf(file) {
  if (!file.endsWith('.def')) return [];
  const line = `#include "${file.replace('wasm/', '')}"`;
  return readdirSync(join(COPY, 'wasm'), { recursive: true })
    .filter((name) => name.endsWith('.cpp'))
    .map((name) => join(COPY, 'wasm', name))
    .filter((path) => readFileSync(path, 'utf8').includes(line));
}

function copyCore() {
  for (const part of ['wasm', 'shaders', 'tests'])
    rmSync(join(COPY, part), { recursive: true, force: true });
  const keep = { preserveTimestamps: true, recursive: true };
  for (const part of ['wasm', 'shaders', 'tests/reference', 'tests/bench', 'tests/op_cases.h']) {
    cpSync(join(ROOT, part), join(COPY, part), keep);
  }
  for (const part of ['tests/cpu', 'tests/op_suite', 'tests/ops', 'tests/webgl'])
    mkdirSync(join(COPY, part), { recursive: true });
  for (const name of ['main.cpp', 'check.cpp', 'check.h']) {
    cpSync(join(ROOT, 'tests/op_suite', name), join(COPY, 'tests/op_suite', name), keep);
  }
  for (const name of readdirSync(join(ROOT, 'tests/ops'))) {
    if (/^(cases.*|compare|slopes|devices)\.(cpp|h)$/.test(name)) {
      cpSync(join(ROOT, 'tests/ops', name), join(COPY, 'tests/ops', name), keep);
    }
  }
  // What the op cases' device and their comparisons take from other tests.
  for (const header of ['tests/webgl/kernel_runner.h', 'tests/cpu/several_threads.h'])
    cpSync(join(ROOT, header), join(COPY, header), keep);
  cpSync(join(ROOT, 'tests/mutants/CMakeLists.txt'), join(COPY, 'CMakeLists.txt'), keep);
}

function run(program, args, seconds) {
  const env = { ...process.env, LP_NUM_THREADS: '0' };
  return spawnSync(program, args, { encoding: 'utf8', timeout: seconds * 1000, env });
}

function build() {
  const jobs = String(availableParallelism());
  return run('cmake', ['--build', join(COPY, 'build'), '--target', 'op_suite', '-j', jobs], 1800);
}

function configure() {
  const cached = run('sh', ['-c', 'command -v ccache'], 10).status === 0;
  const launcher = cached ? ['-DCMAKE_CXX_COMPILER_LAUNCHER=ccache'] : [];
  return run('cmake', ['-S', COPY, '-B', join(COPY, 'build'), '-G', 'Ninja', ...launcher], 300);
}

/** The cases that can see a fault: a row's own, or all of the device that the file belongs to. */
function runCases({ file, rule, what }) {
  const scope =
    rule === 'derivative'
      ? [`${what.split(',')[0]} `]
      : [file.startsWith('shaders/') ? 'webgl' : 'cpu'];
  return run(join(COPY, 'build/op_suite'), ['first', ...scope], 900);
}

/** Writes a file and lets the build know of it through those that read it. */
function write(file, text) {
  const path = join(COPY, file);
  const { atime, mtime } = statSync(path);
  writeFileSync(path, text);
  const readers = readersOf(file);
  if (readers.length > 0) utimesSync(path, atime, mtime);
  const now = new Date();
  for (const reader of readers) utimesSync(reader, now, now);
}

/** "" where the fault is caught, else what is wrong. */
function seed(fault) {
  const original = readFileSync(join(COPY, fault.file), 'utf8');
  const { at, from, to } = fault;
  if (original.slice(at, at + from.length) !== from) return 'the rule points beside its text';
  write(fault.file, original.slice(0, at) + to + original.slice(at + from.length));
  try {
    const built = build();
    if (built.status !== 0) return `does not compile: ${built.stdout.slice(-600)}`;
    return runCases(fault).status === 0 ? 'SURVIVED' : '';
  } finally {
    write(fault.file, original);
  }
}

function choose(all) {
  if (!options.five) return all.slice(Number(options.from), Number(options.to));
  const first = (Math.floor(Date.now() / DAY) * 5) % all.length;
  // Five that lie far apart, so that each run sees several files and rules.
  return [0, 1, 2, 3, 4].map((i) => all[(first + Math.floor((i * all.length) / 5)) % all.length]);
}

function main() {
  const all = faults(ROOT).filter((fault) => !isEquivalent(fault));
  if (options.list) {
    for (const fault of all) say(`${titleOf(fault)}\n    ${fault.from}  ->  ${fault.to}`);
    return all.length >= 50;
  }
  copyCore();
  for (const step of [configure, build]) {
    const { status, stdout, stderr } = step();
    if (status !== 0) throw new Error(`the copy does not build: ${stdout.slice(-2000)}${stderr}`);
  }
  const chosen = choose(all);
  say(`${chosen.length} of ${all.length} faults`);
  let caught = 0;
  for (const fault of chosen) {
    const problem = seed(fault);
    if (problem === '') caught += 1;
    const line = `${problem === '' ? 'ok' : 'failed'} ${titleOf(fault)}`;
    say(problem === '' ? line : `${line}: ${problem}`);
    if (options.report !== undefined) appendFileSync(options.report, `${line}\n`);
  }
  say(`${caught} of ${chosen.length} caught`);
  return caught === chosen.length && all.length >= 50;
}

process.exitCode = main() ? 0 : 1;
