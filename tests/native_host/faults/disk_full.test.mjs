// The disk fills up at every stage of a save: the old checkpoint stands, the message says how much is needed and how much
// is free, and the save succeeds once there is room.
//   FAULTS=full: 64 sizes, else 12
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkpoint, FULL, Host, NAME, savingFrames } from './host.mjs';
import { SmallHome } from './mounts.mjs';

const SIZE = 1_600_000;
const SIZES = FULL ? 64 : 12;
const OLD = checkpoint(1, SIZE);
const SAVE = savingFrames(NAME, checkpoint(2, SIZE));

/** Room beside the old checkpoint, from nothing to two more of them. */
const room = (index) => Math.round((index / (SIZES - 1)) * 2 * SIZE);

test(`a disk that fills up at ${SIZES} sizes keeps the old checkpoint and says what is needed`, async () => {
  let full = 0;
  for (let index = 0; index < SIZES; index += 1) {
    const home = new SmallHome(OLD.length + 65_536 + room(index));
    home.put(OLD);
    const host = await Host.start(home);
    const failure = await host.save(SAVE).then(
      () => null,
      (error) => error,
    );
    if (failure === null) {
      assert.equal(home.seed(), 2);
    } else {
      full += 1;
      assert.equal(failure.code, 'store.disk_full', failure.message);
      assert.ok(failure.needed > 0 && failure.needed <= SAVE.size, `needs ${failure.needed}`);
      assert.ok(failure.free < SAVE.size, `${failure.free} are free`);
      assert.equal(home.seed(), 1);
      assert.deepEqual(home.leftovers(), []);
      home.resize(OLD.length + 4 * SIZE);
      await host.save(SAVE);
      assert.equal(home.seed(), 2);
    }
    await host.end();
    home.remove();
  }
  assert.ok(full > 2 && full < SIZES, `${full} of ${SIZES} were full`);
});
