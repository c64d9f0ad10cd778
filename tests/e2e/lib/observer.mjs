// A test's own view of the training worker: it listens on the pages' channel from a document of the extension that has
// no script of its own, so that nothing it reads or asks depends on a popup being open.

/** Runs in the page. */
const attach = () => {
  const channel = new BroadcastChannel('shadegrad');
  const waiting = new Map();
  channel.onmessage = ({ data }) => {
    if (data?.kind === 'reply') {
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    }
  };
  globalThis.observer = {
    call(command) {
      const id = crypto.randomUUID();
      const send = () => channel.postMessage({ kind: 'request', id, command });
      // What is asked before there is a worker is lost. A question may be put again, and a command may not.
      const again = command.type === 'state.get' ? setInterval(send, 500) : undefined;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        send();
        setTimeout(
          () => resolve({ ok: false, code: 'observer.silence', message: 'no reply' }),
          20_000,
        );
      }).finally(() => clearInterval(again));
    },
  };
};

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Observer {
  static async on(page) {
    await page.evaluate(attach);
    return new Observer(page);
  }

  constructor(page) {
    this.page = page;
  }

  /** Sends a command as a page would; resolves to the whole reply. */
  call(command) {
    return this.page.evaluate((one) => globalThis.observer.call(one), command);
  }

  async state() {
    const reply = await this.call({ type: 'state.get' });
    return reply.ok ? reply.result : null;
  }

  /** The first state for which `wanted` holds; fails with what was there instead. */
  async until(wanted, what, seconds = 30) {
    let end = Date.now() + seconds * 1000;
    let state = null;
    while (Date.now() < end) {
      state = await this.state();
      if (state !== null && wanted(state)) return state;
      // A run that has failed comes to nothing else by itself.
      if (state?.phase === 'failed') end = Math.min(end, Date.now() + 2000);
      await pause(50);
    }
    const { phase, failure, progress, host, notices } = state ?? {};
    const last = JSON.stringify({
      phase,
      failure,
      step: progress?.step,
      host: host?.state,
      notices,
    });
    throw new Error(`waited ${seconds} s for ${what}; the last state was ${last}`);
  }

  /** Waits until the run has come at least `count` steps further. */
  async advance(count, seconds = 30) {
    const before = (await this.state())?.progress?.step ?? 0;
    const wanted = (state) => (state.progress?.step ?? 0) >= before + count;
    return this.until(wanted, `${count} steps after step ${before}`, seconds);
  }

  /** [[step, loss], ...] of every step of the run, as the worker keeps them while they are not thinned out. */
  async losses() {
    const { steps, losses, stride } = (await this.state()).history;
    if (stride !== 1) throw new Error(`the losses are thinned: one point holds ${stride} steps`);
    return steps.map((step, i) => [step, losses[i]]);
  }
}
