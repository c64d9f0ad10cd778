// Each system call of a save fails once, and from then on for ever, at the first, second, ... call until none is left to
// fail (SQLite's method): the old checkpoint or the new one stands whole, an acknowledged save is the new one, a failure
// is told with a code, and the next start leaves nothing behind. strace injects into the running host.
//   FAULTS=full: every call; else those of the calls that matter most for what is on the disk
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkpoint, FULL, Home, Host, NAME, savingFrames } from './host.mjs';

const DISK = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'];
const CALLS = [
  { call: 'fsync', errors: ['EIO', 'ENOSPC'], always: true },
  { call: 'renameat,renameat2,rename', errors: ['EIO', 'ENOSPC', 'EROFS'], always: true },
  { call: 'pwrite64,pwritev,pwritev2', errors: [...DISK, 'EINTR'], always: false },
  {
    call: 'openat,openat2',
    errors: ['EMFILE', 'EACCES', 'ENOSPC', 'EROFS', 'EINTR'],
    always: false,
  },
  { call: 'mkdirat,mkdir', errors: DISK, always: false, first: true },
  { call: 'fsync', errors: ['EIO'], always: false, first: true },
  { call: 'unlinkat,unlink', errors: ['EIO', 'EROFS', 'EACCES'], always: false },
  { call: 'close', errors: ['EIO', 'EINTR'], always: false },
  { call: 'fstat,newfstatat,statx', errors: ['EIO'], always: false },
  { call: 'fstatfs,statfs', errors: ['EIO'], always: false },
  { call: 'flock', errors: ['EIO', 'EINTR', 'ENOLCK'], always: false },
  { call: 'pread64,preadv,preadv2', errors: ['EIO', 'EINTR'], always: false },
  { call: 'getrandom', errors: ['EINTR', 'ENOSYS'], always: false },
  { call: 'write,writev', errors: ['EIO'], always: false }, // answers, and what wakes the loop
];
const SIZE = 1_300_000; // three pieces
const MOST = 40; // calls of one kind: a save that makes more has gone astray
const saves = [1, 2].map((seed) => savingFrames(NAME, checkpoint(seed, SIZE)));

/** Attaches strace to all of the host's threads; resolves once it listens. */
function inject(pid, call, error, when) {
  const log = join(tmpdir(), `shadegrad-strace-${pid}`);
  const args = [
    '-f',
    '-qq',
    '-o',
    log,
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:error=${error}:when=${when}`,
  ];
  const tracer = spawn('strace', [...args, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((done) => tracer.on('exit', done));
  return {
    /** The first of its lines tells that it is attached; -qq hides that, so the kernel is asked. */
    async attached() {
      for (let tries = 0; tries < 1000; tries += 1) {
        if (/TracerPid:\t[1-9]/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return;
        await new Promise((done) => setTimeout(done, 5));
      }
      throw new Error('strace did not attach');
    },
    /** How many calls were made to fail. */
    async count() {
      await ended;
      const fired = readFileSync(log, 'utf8').split('(INJECTED)').length - 1;
      rmSync(log);
      return fired;
    },
  };
}

/** One save with one fault, over an old checkpoint or as the first of its run; gives whether the fault was met. */
async function faulted(call, error, when, first = false) {
  const where = `${call} ${error} when=${when}`;
  const home = new Home();
  if (!first) home.put(checkpoint(1, SIZE));
  const standing = first ? null : 1;
  // strace counts by thread: with one there is one count.
  const host = await Host.start(home, { env: { UV_THREADPOOL_SIZE: '1' } });
  await host.request({ type: 'checkpoint.list' });
  const tracer = inject(host.pid, call, error, when);
  await tracer.attached();
  // A host that can no longer write its answers may only end.
  const outcome = await Promise.race([
    host.save(saves[1]).then(
      () => 'acknowledged',
      (failure) => failure,
    ),
    host.exited.then(() => 'gone'),
    new Promise((done) => setTimeout(done, 8000, 'silent')),
  ]);
  await host.end().catch(() => host.kill());
  const met = await tracer.count();
  assert.notEqual(outcome, 'silent', `${where}: no answer`);
  if (outcome instanceof Error && outcome.code !== undefined) {
    assert.match(outcome.code, /^(store|grants)\./, `${where}: ${outcome.message}`);
  }
  const found = home.seed();
  assert.ok(
    found === 2 || (found === standing && outcome !== 'acknowledged'),
    `${where}: ${found} stands`,
  );
  assert.deepEqual(await home.leftoversAfterStart(), [], where);
  home.remove();
  return met > 0;
}

for (const { call, errors, always, first } of CALLS) {
  if (!always && !FULL) continue;
  for (const error of errors) {
    test(`a ${first ? "run's first " : ''}save outlives ${error} at every ${call}`, async () => {
      let cases = 0;
      // An interruption is tried again, so for ever it would be.
      for (const onward of error === 'EINTR' ? [''] : ['', '+']) {
        for (let n = 1; await faulted(call, error, `${n}${onward}`, first); n += 1) {
          cases += 1;
          assert.ok(n < MOST, `${call} is called more than ${MOST} times`);
        }
      }
      process.stdout.write(`# ${cases} faults\n`);
    });
  }
}

test('a save makes the calls that are made to fail', async () => {
  assert.ok(await faulted('fsync', 'EIO', '1'), 'no fsync was met');
  assert.ok(await faulted('renameat,renameat2,rename', 'EIO', '1'), 'no rename was met');
});
