// Data kept in Chromium's own storage, from the file to a run after a restart; and a large file of the native host, which
// is imported where it lies.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { largeSeries } from '../lib/data.mjs';
import { dataJourneys } from '../lib/data_journeys.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

dataJourneys('chromium', 'Chromium');

const LARGE = 65_000_000;

scenario(
  'a large file of the native host is imported there, and of its columns each is sent once',
  { prepare: (world) => world.write('large.csv', largeSeries(LARGE)), seconds: 200 },
  async ({ world, session, observer }) => {
    const ui = new Ui(await session.openDashboard());
    await ui.pickFromHost(`${world.rootName}/large.csv`);
    const ready = await observer.until(({ phase }) => phase === 'ready', 'the import', 60);
    const { size } = statSync(join(world.granted, 'large.csv'));
    assert.equal(ready.source.size, size);
    assert.ok(ready.host.bytes < 200_000, 'only the ends of the file came');
    const run = async () => {
      await ui.train({ target: 'value', lookBack: 14, horizon: 1, epochs: 1, device: 'cpu' });
      const begun = await observer.until(
        ({ phase, progress }) => phase === 'training' && progress.step > 10,
        'steps',
        60,
      );
      assert.equal((await observer.call({ type: 'run.stop' })).ok, true);
      await observer.until(({ phase }) => phase === 'finished', 'the stop');
      return begun.host.bytes;
    };
    const sent = await run();
    assert.ok(sent > 200_000 && sent < size / 2, `${sent} of ${size} bytes came`);
    await ui.click('new-run');
    assert.ok((await run()) - sent < 1000, 'what has come is kept');
    const { imports } = await observer.state();
    assert.ok(imports[0].bytes > 4 * ready.description.rows, 'and takes its room here');
    await observer.call({ type: 'dataset.close' });
    await ui.clickNamed('host-entry', 'large.csv');
    const known = await observer.until(({ phase }) => phase === 'ready', 'the same file');
    assert.equal(known.source.imported, imports[0].id, 'it is known again');
  },
);
