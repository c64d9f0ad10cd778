// A table of more columns than a page shows at once, from the file to the finished model and its judgement.
import assert from 'node:assert/strict';
import { wideTable } from '../lib/table_data.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const COLUMNS = 1500;
const ROWS = 300;

scenario(
  'a table of 1,500 columns is imported, learnt from as a whole, and judged',
  { host: false, seconds: 60 },
  async ({ world, session, observer }) => {
    const ui = new Ui(await session.openDashboard());
    await ui.pickFile(world.write('wide.csv', wideTable(ROWS, COLUMNS)));
    const { description } = await observer.until(({ phase }) => phase === 'ready', 'the import');
    assert.equal(description.rows, ROWS);
    assert.equal(description.columns.length, COLUMNS);
    assert.equal(description.repairCount, 0);
    await ui.train({ epochs: 6, learningRate: 0.01, device: 'cpu' });
    const done = await observer.until(({ phase }) => phase === 'finished', 'the run', 40);
    const { data } = done.config;
    assert.deepEqual([data.target, data.features.length], ['price', COLUMNS - 1]);
    const losses = (await observer.losses()).map(([, loss]) => loss);
    assert.ok(losses.every(Number.isFinite), `${losses}`);
    const mean = (some) => some.reduce((sum, one) => sum + one, 0) / some.length;
    assert.ok(mean(losses.slice(-5)) < mean(losses.slice(0, 5)) / 2, `it learns: ${losses}`);
    await ui.wait('table-result', 30);
    await ui.wait('importance', 30);
  },
);
