// Better settings are searched for, used and trained with, and a search that a browser's end cuts off goes on from there.
import assert from 'node:assert/strict';
import { Keys } from './keys.mjs';
import { scenario } from './scenario.mjs';
import { flowers } from './table_data.mjs';
import { Ui } from './ui.mjs';

const over = ({ search }) => search !== null && search.outcome !== 'running';
const losses = ({ trials }) => trials.map(({ loss }) => loss);

/** The smallest validation loss of a run, which is what a search compares. */
const bestOf = ({ history }) =>
  Math.min(...history.epochs.map(({ validationLoss }) => validationLoss));

export function searchByKeys(name, browser) {
  scenario(name, { browser, host: false, seconds: 120 }, async ({ world, session, observer }) => {
    const page = await session.openDashboard();
    await page.bringToFront();
    const ui = new Ui(page);
    const keys = new Keys(page);
    await ui.pickFile(world.write('flowers.csv', flowers(90)));
    await ui.wait('train');
    await keys.type('epochs', 3);
    await keys.to('search');
    await keys.press('Enter');
    // Size and dropout are left as they are.
    await keys.to('search-field');
    await keys.press('Tab', ' ', 'Tab', ' ');
    await keys.to('search-trials');
    await keys.press('ArrowUp');
    await ui.waitText('search-cost', /^5 epochs in all, as many as 1\.7 of the runs above/);
    await keys.to('search-start');
    await keys.press('Enter');

    const done = await observer.until(over, 'the search to end', 60);
    assert.equal(done.search.outcome, 'completed', JSON.stringify(done.search));
    const { trials, tag } = done.search;
    assert.deepEqual(
      trials.map((one) => Object.keys(one.values)),
      Array(3).fill(['learningRate']),
    );
    assert.deepEqual(trials.map(({ epochs }) => epochs).sort(), [1, 1, 3]);
    const best = trials.reduce((low, one) => (one.loss < low.loss ? one : low));
    assert.equal(best.epochs, 3, 'the best one has all its epochs');
    assert.equal(new Set(losses(done.search)).size, 3, 'each rate has a loss of its own');
    assert.equal(done.runs.filter(({ note }) => note.startsWith(tag)).length, 3);
    await ui.waitText('search-best', /^Best: Learning rate /);
    const [first] = await page.$$eval('[data-testid="search-table"] tbody tr', (rows) =>
      rows.map((row) => Number(row.children[2].textContent)),
    );
    assert.equal(first, best.values.learningRate, 'the best one stands first');

    await keys.to('search-use');
    await keys.press('Enter');
    await ui.wait('train');
    const rate = await page.$eval('[data-testid="learning-rate"]', (one) => Number(one.value));
    assert.equal(rate, best.values.learningRate);
    await keys.to('train');
    await keys.press('Enter');
    const { run } = done;
    const own = (state) => state.phase === 'finished' && state.run !== run && !state.candidate;
    const trained = await observer.until(own, 'the run with these settings', 60);
    assert.equal(trained.config.training.learningRate, rate);
    // It was trained in two parts there and in one here: the same plan, seed and rows give the same run.
    assert.equal(bestOf(trained), best.loss);
    await ui.wait('verdict');
    assert.equal(await ui.visible('search-best'), false, 'the result is of the own run');
    assert.deepEqual([...keys.unseen], [], 'every stop shows that it has the focus');
  });
}

/** In the page of an observer: once a candidate is done, one of the others is paused; where that comes too late, the next. */
const pauseInMidst = () => {
  const channel = new BroadcastChannel('shadegrad');
  channel.onmessage = ({ data }) => {
    if (data?.type !== 'state') return;
    const { search, phase } = data.state;
    if (phase === 'paused') channel.close();
    else if (phase === 'training' && search?.trials.some(({ loss }) => loss !== null))
      channel.postMessage({
        kind: 'request',
        id: crypto.randomUUID(),
        command: { type: 'run.pause' },
      });
  };
};

export function searchAfterKill(name, browser) {
  scenario(name, { browser, host: false, seconds: 120 }, async ({ world, session, observer }) => {
    const dashboard = new Ui(await session.openDashboard());
    await dashboard.pickFile(world.write('flowers.csv', flowers(300)));
    await dashboard.fill('epochs', 135);
    await dashboard.fill('patience', 0);
    await dashboard.select('search-trials', '9');
    await observer.page.evaluate(pauseInMidst);
    await dashboard.click('search-start');
    await observer.page.bringToFront();
    const paused = ({ phase, search }) => phase === 'paused' || over({ search });
    const before = await observer.until(paused, 'a pause of the search', 60);
    assert.equal(before.search.outcome, 'running');
    const known = before.search.trials.filter(({ run }) => run !== null);
    assert.ok(known.length > 1, 'one is done and another one under way');
    await session.kill();

    const again = await session.relaunch();
    try {
      const watch = await again.observe();
      const popup = new Ui(await again.openPopup());
      await popup.waitText('search-title', /interrupted/);
      const asked = await watch.state();
      assert.equal(asked.search.outcome, 'interrupted');
      assert.deepEqual(losses(asked.search), losses(before.search));
      await popup.click('search-continue');
      const completed = ({ search }) => search.outcome === 'completed';
      const done = await watch.until(completed, 'the rest of the search', 60);
      const { trials } = done.search;
      assert.deepEqual(
        trials.map(({ epochs }) => epochs).sort((a, b) => a - b),
        [15, 15, 15, 15, 15, 15, 45, 45, 135],
      );
      const runs = trials.map(({ run }) => run);
      const trained = known.filter(({ loss }) => loss !== null);
      assert.ok(
        trained.every(({ run }) => runs.includes(run)),
        'no candidate that was done is trained anew',
      );
      assert.deepEqual(again.problems, []);
    } finally {
      await again.close();
    }
  });
}
