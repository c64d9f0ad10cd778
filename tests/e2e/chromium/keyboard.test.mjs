// From a file to a saved checkpoint by the keyboard alone: the driver sets the file, as a chooser would, and nothing else.
import assert from 'node:assert/strict';
import { series } from '../lib/data.mjs';
import { Keys } from '../lib/keys.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

scenario(
  'a run is set up, trained, looked at and saved by Tab, Enter, Space and arrows alone',
  { host: false, seconds: 120 },
  async ({ world, session, observer }) => {
    const page = await session.openDashboard();
    await page.bringToFront();
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(1200)));
    await ui.wait('train');
    const keys = new Keys(page);

    await keys.to('feature');
    await keys.press('Space');
    await keys.to('target');
    await keys.press('ArrowDown');
    await keys.type('look-back', 14);
    await keys.to('model-size');
    await keys.press('ArrowLeft');
    await keys.type('epochs', 3);
    await keys.to('device-choice');
    await keys.press('ArrowDown');
    await keys.to('advanced');
    await keys.press('Enter');
    await keys.type('seed', 7);
    await keys.to('train');
    await keys.press('Enter');
    const done = await observer.until(({ phase }) => phase === 'finished', 'the run to finish', 60);
    assert.equal(done.config.data.lookBack, 14);
    assert.equal(done.config.training.epochs, 3);
    assert.equal(done.config.training.device, 'cpu');
    assert.equal(done.config.training.seed, 7);
    assert.equal(done.config.model.hidden, 16, 'the small model');
    assert.equal(done.config.data.features.length, 1, 'one column was left out');

    await ui.wait('verdict');
    await page.evaluate(() => document.activeElement.blur());
    await keys.to('log-scale');
    await keys.press('Space');
    await keys.to('save');
    await keys.press('Enter');
    await ui.waitNotice(/^checkpoint\.saved: /);
    assert.deepEqual([...keys.unseen], [], 'every stop shows that it has the focus');
  },
);
