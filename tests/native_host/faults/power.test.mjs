// The power fails at random moments while checkpoints are saved and old ones removed: every save that was acknowledged is
// there after the restart, whole, and so is what was not being replaced. That the test can see a lost save is shown by
// the same with a host whose fsync does nothing.
//   FAULTS=full: 500 cuts
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpoint, FULL, Host, numbersFrom, RUN, savingFrames } from './host.mjs';
import { FragileHome } from './mounts.mjs';

const ROUNDS = FULL ? 500 : 12;
const SIZE = 150_000;
const FILES = 4;

const nameOf = (seed) => `${RUN}step-${seed % FILES}.safetensors`;

/** Saves one after the other until the host is gone or the power is; `acknowledged` maps names to their newest seeds. */
async function keepSaving(host, acknowledged, from) {
  let seed = from;
  try {
    for (;;) {
      seed += 1;
      const name = nameOf(seed);
      // The last one of each name goes before it is written anew, every other time.
      if (seed % 8 < FILES && acknowledged.has(name)) {
        const before = acknowledged.get(name);
        acknowledged.set(name, [...before, null]); // may be gone from now on
        await host.request({ type: 'checkpoint.remove', name }).catch((error) => {
          if (error.code !== 'store.not_found') throw error;
        });
        acknowledged.set(name, [null]);
      }
      acknowledged.set(name, [...(acknowledged.get(name) ?? [null]), seed]);
      await host.save(savingFrames(name, checkpoint(seed, SIZE)));
      acknowledged.set(name, [seed]);
    }
  } catch (error) {
    if (error.code !== undefined && !error.code.startsWith('store.')) throw error;
    return seed;
  }
}

/** Rounds of saving and cutting; gives how many names were found with what they may not hold. */
async function cuts(rounds, prepare = async () => async () => {}) {
  const home = new FragileHome();
  const random = numbersFrom(rounds + 5);
  const allowed = new Map();
  let seed = 0;
  let saves = 0;
  const lost = [];
  for (let round = 0; round < rounds; round += 1) {
    const host = await Host.start(home);
    await host.request({ type: 'checkpoint.list' });
    const undo = await prepare(host);
    const saving = keepSaving(host, allowed, seed);
    await sleep(30 + random() * 600);
    home.cutPower();
    await host.kill();
    await undo();
    const reached = await saving;
    saves += reached - seed;
    seed = reached;
    await home.reboot();
    for (const [name, seeds] of allowed) {
      let found;
      try {
        found = home.seed(name);
      } catch (error) {
        found = error.message; // there, and not whole
      }
      if (!seeds.includes(found)) lost.push({ round, name, found, seeds });
      allowed.set(name, [found]);
    }
  }
  assert.deepEqual(await home.leftoversAfterStart(), []);
  home.remove();
  return { lost, saves };
}

test(`${ROUNDS} power cuts lose no acknowledged save`, async () => {
  const { lost, saves } = await cuts(ROUNDS);
  assert.deepEqual(lost, []);
  assert.ok(saves > ROUNDS, `only ${saves} saves were tried`);
  process.stdout.write(`# ${saves} saves\n`);
});

test('without fsync saves are lost, and this test sees it', async () => {
  const { lost } = await cuts(6, async (host) => {
    const tracer = spawn(
      'strace',
      [
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        'trace=fsync,fdatasync',
        '-e',
        'inject=fsync,fdatasync:retval=0',
        '-p',
        String(host.pid),
      ],
      { stdio: 'ignore' },
    );
    await sleep(300);
    return () => once(tracer, 'exit');
  });
  assert.ok(lost.length > 0, 'every save survived');
});
