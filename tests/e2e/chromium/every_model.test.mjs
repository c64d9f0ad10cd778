// Each model that the form offers, trained through the extension, saved and resumed: the resumed run is the one that
// never stopped. Which models there are is read from the form, so that a new one needs no line here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readCheckpoint } from '../../golden/safetensors.mjs';
import { series } from '../lib/data.mjs';
import { filesBelow } from '../lib/files.mjs';
import { scenario } from '../lib/scenario.mjs';
import { Ui } from '../lib/ui.mjs';

const RUN = { lookBack: 20, horizon: 2, device: 'cpu' };

/** Trains the model from the form; its last state. */
async function train({ observer, ui }, model, epochs) {
  await ui.select('model', model);
  assert.match(await ui.text('model-help'), /\w{3}/, `${model} says what it is`);
  await ui.train({ ...RUN, epochs });
  const ended = (state) =>
    state.phase === 'finished' &&
    state.config.model.name === model &&
    state.progress.epoch === epochs;
  return observer.until(ended, `${model} to train`, 30);
}

async function saveAndResume({ world, observer }, model) {
  const { progress } = await observer.state();
  const saved = await observer.call({ type: 'checkpoint.save' });
  assert.ok(saved.ok, `${model}: ${saved.message}`);
  const { store, id } = saved.result;
  const [path] = filesBelow(world.home, id);
  const { tensors } = readCheckpoint(readFileSync(path));
  assert.ok(
    Object.keys(tensors).some((name) => name.startsWith('optimizer.')),
    `${model}'s file`,
  );
  const reply = await observer.call({ type: 'checkpoint.resume', store, id, epochs: 1 });
  assert.ok(reply.ok, `${model}: ${reply.message}`);
  const ended = (state) => state.phase === 'finished' && state.progress.epoch === 2;
  const state = await observer.until(ended, `${model} to go on`, 30);
  assert.equal(state.progress.step, 2 * progress.step, model);
}

scenario(
  'every model that the form offers is trained, saved through the host and resumed as if it had never stopped',
  { seconds: 120 },
  async ({ world, observer, page }) => {
    const ui = new Ui(page);
    await ui.pickFile(world.write('waves.csv', series(200)));
    await ui.wait('train');
    const models = await ui.enabledOptions('model');
    assert.ok(models.length > 1, 'the form offers models');
    for (const model of models) {
      const { history } = await train({ observer, ui }, model, 2);
      const whole = await observer.losses();
      assert.ok(whole.length > 2 && whole.every(([, loss]) => Number.isFinite(loss)), model);
      assert.ok(Number.isFinite(history.epochs.at(-1).validationLoss), model);
      await ui.click('new-run');
      await train({ observer, ui }, model, 1);
      await saveAndResume({ world, observer }, model);
      assert.deepEqual(await observer.losses(), whole, `${model}'s losses`);
      await ui.click('new-run');
    }
  },
);
