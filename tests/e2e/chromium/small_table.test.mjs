// A table of few rows, trained with nothing but what the page proposes: it is learnt about as well as ridge regression, whose
// straight line is the truth here, and not by heart.
import assert from 'node:assert/strict';
import { scenario } from '../lib/scenario.mjs';
import { noisyLine } from '../lib/table_data.mjs';
import { Ui } from '../lib/ui.mjs';

for (const rows of [200, 300, 1000])
  scenario(
    `of ${rows} noisy rows the proposed run learns about as much as ridge regression`,
    { host: false, seconds: 120 },
    async ({ world, observer, page }) => {
      const ui = new Ui(page);
      await ui.pickFile(world.write('line.csv', noisyLine(rows)));
      await ui.click('train');
      const done = await observer.until(({ phase }) => phase === 'finished', 'its end', 90);
      assert.equal(done.config.data.target, 'y');
      const reply = await observer.call({ type: 'evaluation.get' });
      assert.ok(reply.ok, reply.message);
      const { model, mean, ridge } = reply.result.regression;
      const told = `model ${JSON.stringify(model)}, ridge ${JSON.stringify(ridge)}, after ${done.progress.epoch} epochs`;
      process.stderr.write(`${rows} rows: ${told}\n`);
      assert.ok(ridge.r2 > 0.7 && mean.r2 < 0.1, `the line is there to be found: ${told}`);
      assert.ok(model.r2 > ridge.r2 - 0.04, told);
    },
  );
