// A measurement in a fresh Chromium with a private home, both closed whatever happened.
import { ChromiumSession } from '../e2e/lib/chromium.mjs';
import { World } from '../e2e/lib/world.mjs';

/** `measure(world, session)`; `prepare(world)` runs before the browser starts. */
export async function inChromium(measure, prepare = () => undefined) {
  const world = new World();
  try {
    prepare(world);
    const session = await ChromiumSession.launch(world);
    try {
      await measure(world, session);
    } finally {
      await session.close();
    }
  } finally {
    world.close();
  }
}
