// Our core in a comparison of libraries: the LSTM workloads, with the weights and batches that every library gets.
// Served beside bench_core.mjs. The backend is a device's name, cpu or webgl.
import createCore from './bench_core.mjs';

export const name = 'shadegrad';
export const version = '0.1.0';

class Net {
  #core;
  #x;
  #y;

  static async open(w, device, weights) {
    const net = new Net();
    net.#core = await createCore();
    net.#x = net.#core._bench_alloc(4 * w.batch * w.seq * w.features);
    net.#y = net.#core._bench_alloc(4 * w.batch);
    net.#create(w, device, weights);
    return net;
  }

  /** The weights follow each other in the order in which the workload lists them, which is the module's. */
  #create(w, device, weights) {
    const core = this.#core;
    const units = core._bench_alloc(4 * w.units.length);
    const floats = weights.reduce((sum, { data }) => sum + data.length, 0);
    const packed = core._bench_alloc(4 * floats);
    // The heap is looked up only now: growing it has made a new view.
    core.HEAP32.set(w.units, units / 4);
    let at = packed / 4;
    for (const { data } of weights) {
      core.HEAPF32.set(data, at);
      at += data.length;
    }
    const { lr, beta1, beta2, eps } = w.optimizer;
    const sizes = [w.batch, w.seq, w.features, units, w.units.length, packed];
    this.#check(core._bench_create(device === 'webgl' ? 1 : 0, ...sizes, lr, beta1, beta2, eps));
  }

  #check(ok) {
    if (ok !== 1) throw new Error(this.#core.UTF8ToString(this.#core._bench_message()));
  }

  issue({ x, y }) {
    this.#core.HEAPF32.set(x, this.#x / 4);
    this.#core.HEAPF32.set(y, this.#y / 4);
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

  get live() {
    return this.#core._bench_live_buffers();
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
  if (w.kind !== 'lstm') throw new Error(`no such layers: ${w.kind}`);
  const { params, batch } = globalThis.bench;
  const net = await Net.open(w, ctx.backend ?? 'cpu', params(w));
  const data = Array.from({ length: w.batches }, (_, k) => batch(w, k));
  return ctx.measure(ctx, {
    step: (k) => {
      net.issue(data[k % data.length]);
      return net.drain(0);
    },
    queue: (k) => {
      net.issue(data[k % data.length]);
      return net.drain(8);
    },
    flush: () => net.drain(0),
    counters: () => ({ tensors: net.live }),
  });
}
