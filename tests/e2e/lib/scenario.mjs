// One test in one fresh browser with a private home: prepared, run, checked for console errors and policy violations,
// and closed whatever happened. A failure says what the training worker and the consoles said at that moment.
import assert from 'node:assert/strict';
import test from 'node:test';
import { ChromiumSession } from './chromium.mjs';
import { FirefoxSession } from './firefox.mjs';
import { World } from './world.mjs';

const launch = { chromium: ChromiumSession, firefox: FirefoxSession };

async function explain(error, observer, problems) {
  const state = await observer?.state().catch(() => null);
  const { phase, failure, notices, host, trials } = state ?? {};
  const said = problems.length > 0 ? `\nconsoles: ${problems.join('\n')}` : '';
  error.message += `\nworker: ${JSON.stringify({ phase, failure, notices, host, trials })}${said}`;
  return error;
}

/**
 * `browser` is chromium or firefox; `host` false leaves the native host unregistered; `prepare` runs before the start;
 * `headed` gives Chromium windows, which it has none of otherwise; `allowed` matches console errors that the test itself provokes.
 */
export function scenario(name, options, body) {
  const { browser = 'chromium', host = true, prepare, allowed = [], seconds = 90 } = options;
  const { headed = false } = options;
  test(name, { timeout: seconds * 1000 }, async () => {
    const world = new World();
    let session = null;
    let observer = null;
    try {
      if (host) world.installHost(browser);
      await prepare?.(world);
      session = await launch[browser].launch(world, { headed });
      const page = await session.openPopup();
      observer = await session.observe();
      await body({ world, session, observer, page });
      const left = session.problems.filter((problem) => !allowed.some((one) => one.test(problem)));
      assert.deepEqual(left, [], 'consoles and policies must stay silent');
    } catch (error) {
      throw await explain(error, observer, session?.problems ?? []);
    } finally {
      await session?.close();
      world.close();
    }
  });
}
