// Firefox ends with its last window, and a run with it: the next start offers to go on.
import assert from 'node:assert/strict';
import { waitUntil } from '../lib/files.mjs';
import { resumeAfterKill } from '../lib/resume_journey.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

resumeAfterKill(
  'Firefox: a run that died with the browser is offered at the next start and goes on loss by loss',
  'firefox',
);

scenario(
  'Firefox: the end of a run is told where a click has allowed it, and the other extras are not offered',
  { browser: 'firefox', host: false },
  async ({ session, observer }) => {
    const dashboard = new Ui(await session.openDashboard());
    const { page } = dashboard;
    await dashboard.wait('example-open');
    const extras = await page.$$('[data-testid="extra"]');
    assert.equal(extras.length, 1);
    await dashboard.front();
    await extras[0].click();
    const isOn = () => extras[0].evaluate(({ checked, disabled }) => checked && !disabled);
    await waitUntil(isOn, 'the choice to be taken');
    // Without a desktop Firefox closes a notification as soon as it is shown.
    await page.evaluate(() => {
      const { notifications } = globalThis.chrome;
      globalThis.seen = [];
      notifications.onShown.addListener((id) => globalThis.seen.push(id));
      notifications.onClosed.addListener((id) => globalThis.seen.push(id));
    });
    await dashboard.click('example-open');
    await dashboard.train({ target: 'wind', epochs: 1, device: 'cpu' });
    const { run } = await observer.until((state) => state.phase === 'finished', 'the run', 60);
    const seen = () => page.evaluate((id) => globalThis.seen.includes(id), `run:${run}`);
    await waitUntil(seen, 'the notification of the run');
  },
);
