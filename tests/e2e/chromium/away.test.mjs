// A run while nobody looks: what the icon says, what keeps the browser going without a window, and what is there after
// the browser has died.
import assert from 'node:assert/strict';
import { series } from '../lib/data.mjs';
import { waitUntil } from '../lib/files.mjs';
import { resumeAfterKill } from '../lib/resume_journey.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const LONG = { target: 'value', epochs: 100_000, lookBack: 14, horizon: 1, device: 'cpu' };
const SHORT = { ...LONG, epochs: 2 };
/** `page` is any of the extension; the service worker would not do, since it may just have ended. */
const badgeIs = (page, wanted) =>
  waitUntil(
    async () => (await page.evaluate(() => globalThis.chrome.action.getBadgeText({}))) === wanted,
    `the mark '${wanted}'`,
  );

scenario(
  'the icon shows how the run stands, with the popup closed and the service worker restarted',
  { host: false },
  async ({ session, world, observer, page }) => {
    const marked = (wanted) => badgeIs(observer.page, wanted);
    const ui = new Ui(page);
    await marked('');
    await ui.pickFile(world.write('waves.csv', series(400)));
    await ui.train(LONG);
    await marked('0%');
    await page.close();
    await session.stopBackground();
    await observer.call({ type: 'run.pause' });
    await marked('II');
    await observer.call({ type: 'run.resume' });
    await marked('0%');
    await observer.call({ type: 'run.stop' });
    await marked('');
    const again = new Ui(await session.openPopup());
    await again.click('new-run');
    await again.train(SHORT);
    await marked('✓');
  },
);

resumeAfterKill(
  'a run that died with the browser is offered at the next start and goes on loss by loss',
  'chromium',
  (_, page) => badgeIs(page, 'II'),
);

/** A page with the switches, and a run under way. */
async function startInWindow({ session, observer }) {
  const dashboard = new Ui(await session.openDashboard());
  await dashboard.click('example-open');
  await dashboard.train({ target: 'wind', epochs: 100_000, device: 'cpu' });
  await observer.until(({ progress }) => progress?.step > 0, 'the first steps', 60);
  return dashboard;
}

async function closeAll({ browser }) {
  for (const page of await browser.pages()) await page.close().catch(() => {});
}

scenario(
  'training goes on without a window where the person has chosen so',
  { host: false, headed: true },
  async ({ session, observer }) => {
    const dashboard = await startInWindow({ session, observer });
    const extra = await dashboard.page.$('[data-extra="background"]');
    await extra.click();
    const isOn = () => extra.evaluate(({ checked, disabled }) => checked && !disabled);
    await waitUntil(isOn, 'the choice to be taken');
    const { run, progress } = await observer.state();
    await closeAll(session);
    await new Promise((done) => setTimeout(done, 3000));
    const later = await (
      await session.observe()
    ).until((state) => state.progress.step > progress.step + 20, 'steps without a window');
    assert.equal(later.run, run);
    assert.match(later.phase, /^(training|validating)$/);
  },
);

scenario(
  'the browser ends with its last window where the person has not',
  { host: false, headed: true },
  async ({ session, observer }) => {
    await startInWindow({ session, observer });
    await closeAll(session);
    const process = session.browser.process();
    await waitUntil(() => process.exitCode === 0, 'the end of the browser');
  },
);
