// Trains the character model in the module and tells how far it is, a few steps a task.
import createModule from './char_gpt.mjs';

const STEPS_A_TASK = 10;
const BATCHES_A_TASK = 8;

const turn = () =>
  new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      done();
    };
    channel.port2.postMessage(0);
  });

async function run({ text, seed, device, steps }) {
  const core = await createModule();
  const check = (status) => {
    if (status === 0) throw new Error(core.UTF8ToString(core._gpt_message()));
    return status;
  };
  const bytes = new TextEncoder().encode(text);
  const at = core._gpt_alloc(bytes.length);
  core.HEAPU8.set(bytes, at);
  check(core._gpt_open(at, bytes.length, seed, device === 'webgl' ? 1 : 0, steps));
  const started = performance.now();
  while (core._gpt_steps() < steps) {
    check(core._gpt_train(Math.min(STEPS_A_TASK, steps - core._gpt_steps())));
    const ms = (performance.now() - started) / core._gpt_steps();
    self.postMessage({ step: core._gpt_steps(), loss: core._gpt_loss(), ms });
    await turn();
  }
  const seconds = (performance.now() - started) / 1000;
  while (check(core._gpt_validate(BATCHES_A_TASK)) === 1) await turn();
  self.postMessage({
    done: true,
    seconds,
    loss: core._gpt_validation(),
    characters: core._gpt_validated(),
    parameters: core._gpt_parameters(),
  });
}

self.onmessage = ({ data }) => {
  run(data).catch((error) => self.postMessage({ error: String(error.stack ?? error) }));
};
