// The process dies at any moment of a save (kill -9), or its port is closed: the file that stood stands, or the new one
// does, whole; the host is gone in a second, and the next start leaves nothing of the save.
//   FAULTS=full: 1,000 kills of a save of 200 MB, 200 closed ports
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpoint, FULL, Home, Host, NAME, numbersFrom, savingFrames } from './host.mjs';

const SIZE = FULL ? 200_000_000 : 8_000_000;
const KILLS = FULL ? 1000 : 40;
const CLOSES = FULL ? 200 : 30;

/** Two checkpoints and the time that a save of one takes here. */
async function prepared() {
  const home = new Home();
  const saves = [1, 2].map((seed) => savingFrames(NAME, checkpoint(seed, SIZE)));
  const host = await Host.start(home);
  const begun = performance.now();
  await host.save(saves[0]);
  const milliseconds = performance.now() - begun;
  await host.end();
  assert.equal(home.seed(), 1);
  return { home, saves, milliseconds };
}

/** Cuts saves short by `cut`, each time at another moment, and looks at what is left. */
async function cutShort(rounds, cut) {
  const { home, saves, milliseconds } = await prepared();
  const random = numbersFrom(rounds);
  let standing = 1;
  let finished = 0;
  for (let round = 0; round < rounds; round += 1) {
    const seed = 3 - standing;
    const host = await Host.start(home);
    const saving = host.save(saves[seed - 1]).then(
      () => true,
      () => false,
    );
    // Past the end too, so that some saves are whole.
    await sleep(random() * 1.2 * milliseconds);
    await cut(host);
    const acknowledged = await saving;
    const found = home.seed();
    assert.ok(
      acknowledged ? found === seed : found === seed || found === standing,
      `round ${round}`,
    );
    if (found === seed) finished += 1;
    standing = found;
    assert.deepEqual(await home.leftoversAfterStart(), [], `round ${round}`);
  }
  home.remove();
  return finished;
}

test(`${KILLS} kills at random moments of a save leave the old checkpoint or the new one`, async () => {
  const finished = await cutShort(KILLS, (host) => host.kill());
  assert.ok(
    finished > 0 && finished < KILLS,
    `${finished} saves were finished: the moments are not spread`,
  );
});

test(`${CLOSES} ports closed at random moments of a save end the host within a second`, async () => {
  const slow = [];
  await cutShort(CLOSES, async (host) => {
    const milliseconds = await host.end();
    if (milliseconds > 1000) slow.push(milliseconds);
  });
  assert.deepEqual(slow, []);
});

test(`${CLOSES} ports closed at random moments of a read end the host within a second`, async () => {
  const { home, milliseconds } = await prepared();
  const random = numbersFrom(7);
  for (let round = 0; round < CLOSES; round += 1) {
    const host = await Host.start(home);
    await host.request({ type: 'checkpoint.read', name: NAME, credits: 64 });
    host.request({ type: 'flow.credit', frames: 64 }).catch(() => {});
    if (round % 3 === 0) host.child.stdout.pause(); // a browser that no longer reads
    await sleep((random() * milliseconds) / 4);
    assert.ok((await host.end()) <= 1000, `round ${round}`);
  }
  assert.equal(home.seed(), 1);
  home.remove();
});
