// A worker on a plain page that drives the core's race for a device as the training worker does, turn by turn, on a
// renderer that is called another name: so a browser without a graphics card races all the same.
import createCore from './core.mjs';

/** Turns of the event loop, as extension/src/training/loop.ts makes them. */
const { port1, port2 } = new MessageChannel();
const nextTask = () =>
  new Promise((done) => {
    port1.onmessage = done;
    port2.postMessage(null);
  });

function rename(renderer) {
  const { prototype } = globalThis.WebGL2RenderingContext;
  const original = prototype.getParameter;
  prototype.getParameter = function (name) {
    const UNMASKED_RENDERER_WEBGL = 0x9246;
    return name === UNMASKED_RENDERER_WEBGL ? renderer : original.call(this, name);
  };
}

class Core {
  constructor(module) {
    this.module = module;
  }

  call(name, ...args) {
    const { module } = this;
    const given = args.map((arg) => {
      if (typeof arg === 'number') return arg;
      const size = module.lengthBytesUTF8(arg) + 1;
      const pointer = module._sg_alloc(size);
      module.stringToUTF8(arg, pointer, size);
      return pointer;
    });
    const reply = JSON.parse(module.UTF8ToString(module[`_sg_${name}`](...given)));
    args.forEach((arg, i) => typeof arg !== 'number' && module._sg_free(given[i]));
    if (!reply.ok) throw new Error(`${name}: ${reply.code}: ${reply.message}`);
    return reply;
  }

  open(csv) {
    const { dataset } = this.call('dataset_open', '{"name": "waves.csv"}');
    this.call('dataset_feed', dataset, csv, this.module.lengthBytesUTF8(csv));
    this.call('dataset_finish', dataset);
    return dataset;
  }
}

/** The longest turn, the turns, and the session that the race has led to. */
async function race(core, started) {
  let longest = 0;
  let turns = 0;
  let reply = started;
  for (; reply.racing !== null; turns += 1) {
    await nextTask();
    const began = performance.now();
    reply = core.call('session_race', reply.session);
    longest = Math.max(longest, performance.now() - began);
  }
  return { longest, turns, reply };
}

async function losses(core, session, steps) {
  const all = [];
  while (all.length < steps) {
    await nextTask();
    all.push(...core.call('session_step', session, 1).recent);
  }
  return all.slice(0, steps);
}

self.onmessage = async ({ data: { renderer, csv, config, steps } }) => {
  try {
    rename(renderer);
    const core = new Core(await createCore());
    const dataset = core.open(csv);
    const started = core.call('session_create', dataset, JSON.stringify(config));
    const { longest, turns, reply } = await race(core, started);
    const { session, choice, state } = reply;
    const training = { ...config.training, device: choice.device };
    const forced = core.call('session_create', dataset, JSON.stringify({ ...config, training }));
    const raced = await losses(core, session, steps);
    self.postMessage({
      ...{ racing: started.racing, longest, turns, choice, step: state.step, raced },
      forced: await losses(core, forced.session, steps),
      done: true,
    });
  } catch (error) {
    self.postMessage({ error: String(error?.stack ?? error) });
  }
};
