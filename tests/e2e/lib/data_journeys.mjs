// The way of a picked file through a browser's own storage, for either browser: imported once, trained on after a restart
// without being picked again, known again when it is, and noticed when what is kept is damaged.
import assert from 'node:assert/strict';
import { largeSeries, series } from './data.mjs';
import { keptFiles, spoilShard } from './data_files.mjs';
import { scenario } from './scenario.mjs';
import { Ui } from './ui.mjs';

const RUN = { target: 'value', epochs: 2, lookBack: 14, horizon: 1, device: 'cpu' };
const finished = (state) => state.phase === 'finished';
const ready = (state) => state.phase === 'ready';

/** A fresh browser on the same profile. */
async function restarted(session, world) {
  await session.close();
  const again = await session.constructor.launch(world);
  const dashboard = new Ui(await again.openDashboard());
  return { again, dashboard, observer: await again.observe() };
}

export function dataJourneys(browser, title) {
  scenario(
    `${title}: a picked file is imported once, and trained on after a restart without being picked`,
    { browser, host: false, seconds: 150 },
    async ({ world, session, observer }) => {
      const path = world.write('waves.csv', series(500));
      const first = new Ui(await session.openDashboard());
      await first.pickFile(path);
      const { imports, source, description } = await observer.until(ready, 'the import');
      assert.equal(description.rows, 500);
      assert.equal(source.imported, imports[0].id);
      const kept = await keptFiles(observer.page);
      assert.deepEqual(
        kept.map(({ name }) => name).filter((name) => name !== 'used'),
        ['000000.safetensors', 'manifest.json'],
      );
      await first.train(RUN);
      await observer.until(finished, 'the run', 60);
      const losses = await observer.losses();
      await first.click('save');
      await observer.until((state) => state.lastRun !== null, 'the checkpoint');
      assert.deepEqual(session.problems, []);

      const { again, dashboard, observer: second } = await restarted(session, world);
      try {
        await dashboard.waitText('imports-room', /^1 file, /);
        await dashboard.click('import-open');
        const opened = await second.until(ready, 'the imported data');
        assert.deepEqual(opened.description, description);
        await dashboard.train(RUN);
        await second.until(finished, 'the second run', 60);
        assert.deepEqual(await second.losses(), losses, 'the same rows give the same losses');
        // The last run goes on by itself, too.
        const reply = await second.call({ type: 'dataset.close' });
        assert.ok(reply.ok, reply.message);
        await dashboard.click('last-run-resume');
        await second.until(
          (state) => finished(state) && state.progress.epoch > 2,
          'more epochs',
          60,
        );
        // The same file is known again by its ends.
        await second.call({ type: 'dataset.close' });
        await dashboard.pickFile(path);
        const known = await second.until(ready, 'the file');
        assert.deepEqual(
          known.imports.map(({ id }) => id),
          imports.map(({ id }) => id),
        );
        // A changed one is not.
        await second.call({ type: 'dataset.close' });
        await dashboard.pickFile(world.write('waves.csv', series(501)));
        const changed = await second.until(ready, 'the changed file');
        assert.equal(changed.description.rows, 501);
        assert.match(await dashboard.waitNotice(/^dataset\.changed: /), /has changed since/);
        assert.equal(changed.imports.length, 1);
        assert.notEqual(changed.imports[0].id, imports[0].id);
        assert.deepEqual(again.problems, []);
      } finally {
        await again.close();
      }
    },
  );

  scenario(
    `${title}: a damaged shard is noticed before a step is made, and the file is imported again`,
    { browser, host: false, seconds: 120 },
    async ({ world, session, observer }) => {
      const path = world.write('waves.csv', series(500));
      const ui = new Ui(await session.openDashboard());
      await ui.pickFile(path);
      await observer.until(ready, 'the import');
      await spoilShard(observer.page);
      await ui.train(RUN);
      const notice = await ui.waitNotice(/^dataset\.damaged: /);
      assert.match(notice, /"waves\.csv" is damaged: 000000\.safetensors/);
      assert.equal((await observer.state()).progress, null);
      await ui.wait('import-again');
      const input = await ui.page.$('[data-testid="import-again"]');
      await input.uploadFile(path);
      await observer.until(
        (state) => ready(state) && state.imports.every(({ problem }) => problem === null),
        'the new import',
      );
      await ui.train(RUN);
      await observer.until(finished, 'the run', 60);
      await observer.call({ type: 'dataset.close' });
      await ui.click('import-remove');
      await ui.click('import-confirm');
      await observer.until((state) => state.imports.length === 0, 'the removal');
      assert.deepEqual(await keptFiles(observer.page), []);
    },
  );

  scenario(
    `${title}: an import is called off at once, and leaves nothing`,
    { browser, host: false },
    async ({ world, session, observer }) => {
      const path = world.write('long.csv', largeSeries(60_000_000));
      const ui = new Ui(await session.openDashboard());
      await ui.pickFile(path);
      const { firstRows } = await observer.until(
        ({ reading }) => (reading?.bytes ?? 0) > 1_000_000,
        'the import on its way',
      );
      const columns = firstRows.columns.map(({ name, type }) => `${name}: ${type}`);
      assert.deepEqual(columns, ['date: datetime', 'value: number', 'other: number']);
      assert.deepEqual(firstRows.rows[0], ['2020-01-01', '10.0000', '1.0000']);
      assert.equal(firstRows.rows.length, 20);
      assert.match(await ui.text('first-rows'), /date.*value.*other.*2020-01-01/);
      await ui.click('cancel-reading');
      await observer.until(({ phase }) => phase === 'empty', 'the end of it');
      const empty = async () => (await keptFiles(observer.page)).length === 0;
      for (let tries = 0; tries < 100 && !(await empty()); tries += 1)
        await new Promise((done) => setTimeout(done, 50));
      assert.deepEqual(await keptFiles(observer.page), []);
    },
  );
}
