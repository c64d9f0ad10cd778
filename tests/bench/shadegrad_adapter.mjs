// Our core in a comparison of libraries: every workload, with the weights and batches that every library gets.
// Served beside the modules bench_core*.mjs. See README.md here for the backends and for how to run it from outside.
import { modulesToRun, threadsToUse } from './core_choice.mjs';
import { KINDS, numbersOf } from './workload_numbers.mjs';

export const name = 'shadegrad';
export const version = '0.1.0';
/** cpu-2t is any number of threads. */
const BACKENDS = /^(cpu|cpu-(?<threads>\d+)t|cpu-relaxed|cpu-plain|webgl)$/;
const HELD_BACK = { 'cpu-relaxed': 'core_relaxed', 'cpu-plain': 'core' };

/**
 * The module that the extension would take here, or one that a backend names, with its threads: fewer than a backend
 * names are an error.
 */
async function createCore(backend) {
  const asked = BACKENDS.exec(backend).groups.threads;
  const fits = (module) => asked !== '1' || module !== 'core_threads';
  const form = HELD_BACK[backend] ?? modulesToRun().find(fits);
  const { default: create } = await import(`./bench_${form}.mjs`);
  const threads = Number(asked ?? threadsToUse());
  const startWorker = (url) => new Worker(url, { type: 'module' });
  const core = await create({ threads, startWorker });
  const had = core._bench_set_threads(threads);
  if (asked !== undefined && had !== threads) {
    throw new Error(`${backend} needs ${threads} threads; ${form} has ${had} here`);
  }
  return { core, info: { form, threads: had } };
}

class Net {
  #core;
  #x;
  #y;

  static async open(w, backend, weights, { x, y }) {
    const net = new Net();
    const { core, info } = await createCore(backend);
    net.#core = core;
    net.info = info;
    net.#x = net.#core._bench_alloc(4 * x.length);
    net.#y = net.#core._bench_alloc(4 * y.length);
    net.#create(w, backend, weights);
    return net;
  }

  /** The weights follow each other in the order in which the workload lists them, which is the module's. */
  #create(w, backend, weights) {
    const core = this.#core;
    const numbers = numbersOf(w);
    const at = core._bench_alloc(4 * numbers.length);
    const floats = weights.reduce((sum, { data }) => sum + data.length, 0);
    const packed = core._bench_alloc(4 * floats);
    // The memory is looked up only now: it may have grown.
    new Int32Array(this.#memory).set(numbers, at / 4);
    const heap = new Float32Array(this.#memory);
    let to = packed / 4;
    for (const { data } of weights) {
      heap.set(data, to);
      to += data.length;
    }
    const { lr, beta1 = 0, beta2 = 0, eps = 0 } = w.optimizer;
    const webgl = backend === 'webgl' ? 1 : 0;
    this.#check(core._bench_create(webgl, at, packed, lr, beta1, beta2, eps));
  }

  /** With threads, any of them may make it grow. */
  get #memory() {
    return this.#core.wasmMemory?.buffer ?? this.#core.HEAPU8.buffer;
  }

  #check(ok) {
    if (ok !== 1) throw new Error(this.#core.UTF8ToString(this.#core._bench_message()));
  }

  issue({ x, y }) {
    const heap = new Float32Array(this.#memory);
    heap.set(x, this.#x / 4);
    heap.set(y, this.#y / 4);
    this.#check(this.#core._bench_step(this.#x, this.#y));
  }

  /** Takes the losses that have arrived, and goes on doing so until at most `limit` are on their way: the last one. */
  async drain(limit) {
    let loss = null;
    for (;;) {
      for (let one; !Number.isNaN((one = this.#core._bench_loss()));) loss = one;
      if (this.#core._bench_pending() <= limit) return loss;
      await turn();
    }
  }

  /** Numbers of the device so far, and what is alive. */
  get counters() {
    return {
      tensors: this.#core._bench_live_buffers(),
      peakBytes: this.#core._bench_peak_bytes(),
      kernels: this.#core._bench_kernels(),
      draws: this.#core._bench_draws(),
      programs: this.#core._bench_programs(),
    };
  }
}

/** A turn of the event loop: on a GPU a reading never arrives within the task that asked for it. */
function turn() {
  return new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      done();
    };
    channel.port2.postMessage(0);
  });
}

export async function run(w, ctx) {
  if (!KINDS.includes(w.kind)) throw new Error(`no such layers: ${w.kind}`);
  const backend = ctx.backend ?? 'cpu';
  if (!BACKENDS.test(backend)) throw new Error(`there is no backend '${backend}': see README.md`);
  const { params, batch } = globalThis.bench;
  const data = Array.from({ length: w.batches }, (_, k) => batch(w, k));
  const net = await Net.open(w, backend, params(w), data[0]);
  const result = await ctx.measure(ctx, {
    step: (k) => {
      net.issue(data[k % data.length]);
      return net.drain(0);
    },
    queue: (k) => {
      net.issue(data[k % data.length]);
      return net.drain(8);
    },
    flush: () => net.drain(0),
    counters: () => net.counters,
  });
  return { ...result, info: net.info };
}
