// A run is taken elsewhere as one file, and its settings as a link.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForFile } from './files.mjs';
import { scenario } from './scenario.mjs';
import { Ui } from './ui.mjs';

const config = {
  model: { name: 'lstm', hidden: 8 },
  data: { features: ['wind'], target: 'wind', lookBack: 9, horizon: 1 },
  training: { epochs: 2, device: 'cpu' },
};

export function carryRun(name, browser) {
  scenario(name, { browser, host: false }, async ({ session, world, observer }) => {
    const page = await session.openDashboard();
    const ui = new Ui(page);
    await ui.click('example-open');
    await observer.until((state) => state.phase === 'ready', 'the example');
    const started = await observer.call({ type: 'run.start', config });
    assert.ok(started.ok, started.message);
    const done = await observer.until(
      ({ phase, lastRun, progress }) => phase === 'finished' && lastRun?.step === progress.step,
      'the end of the run and its checkpoint',
      60,
    );
    const { run } = done;
    await ui.click('run-export');
    const file = await waitForFile(world.downloads, '.zip');

    await ui.click('run-remove');
    await ui.click('run-confirm');
    await observer.until(({ checkpoints }) => checkpoints.length === 0, 'the run to go');
    await importFile(ui, file);
    const back = await observer.until(({ checkpoints }) => checkpoints.length > 0, 'the run');
    assert.ok(back.checkpoints.every(({ id, ok }) => ok && id.startsWith(`${run}/`)));
    const resume = { type: 'checkpoint.resume', store: 'browser', id: back.checkpoints[0].id };
    const resumed = await observer.call({ ...resume, epochs: 1 });
    assert.ok(resumed.ok, resumed.message);
    await observer.until(
      ({ phase, progress, lastRun }) =>
        phase === 'finished' && progress.epoch === 3 && lastRun?.step === progress.step,
      'one epoch more, saved',
    );

    const bytes = readFileSync(file);
    bytes[Math.floor(bytes.length / 2)] ^= 0xff;
    const changed = join(world.home, 'changed.zip');
    writeFileSync(changed, bytes);
    await observer.until(({ checkpoints }) => checkpoints.some(({ epoch }) => epoch === 3), 'it');
    const before = (await observer.state()).checkpoints.length;
    await importFile(ui, changed);
    await ui.waitNotice(/^run\.file: /);
    assert.equal((await observer.state()).checkpoints.length, before);

    const text = Buffer.from(JSON.stringify({ ...config, training: { epochs: 77 } }));
    await page.evaluate(
      (hash) => {
        window.location.hash = hash;
      },
      `#config=${text.toString('base64url')}`,
    );
    await ui.wait('train');
    assert.equal(await page.evaluate(() => document.querySelector('#epochs').value), '77');
    assert.equal(await page.evaluate(() => window.location.hash), '');
  });
}

async function importFile(ui, path) {
  await ui.page.evaluate(() => {
    document.querySelector('#run-imports').open = true;
  });
  const input = await ui.page.waitForSelector('#run-import');
  await input.uploadFile(path);
}
