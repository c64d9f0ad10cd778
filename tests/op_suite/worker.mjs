// Runs op cases of one module on one device and tells of each op: how many cases ran, and what was wrong in which.

/** `most` of an op's cases, from the first to the last, evenly apart. */
function pick(cases, most) {
  if (cases.length <= most) return cases;
  return Array.from(
    { length: most },
    (_, i) => cases[Math.round((i * (cases.length - 1)) / (most - 1))],
  );
}

function casesByOp(suite) {
  const ops = new Map();
  for (let i = 0; i < suite._suite_count(); i += 1) {
    const op = suite.UTF8ToString(suite._suite_op(i));
    ops.set(op, [...(ops.get(op) ?? []), i]);
  }
  return ops;
}

/** Loses the context at every kernel in turn. */
async function loseContexts(suite, text) {
  for (let i = 0; i < suite._suite_kernels(); i += 1) {
    const kernel = text(suite._suite_kernel(i));
    self.postMessage({ kernel, wrong: text(suite._suite_lose_at(i)) });
    await new Promise((done) => setTimeout(done, 0));
  }
}

async function open(module, threads) {
  const { default: create } = await import(`./${module}.mjs`);
  const startWorker = (url) => new Worker(url, { type: 'module' });
  const suite = await create({ threads, startWorker });
  self.postMessage({
    threads: suite._suite_set_threads(threads),
    fused: suite._suite_is_fused() === 1,
  });
  return suite;
}

self.onmessage = async ({ data: { module, threads, device, most, lose } }) => {
  try {
    const suite = await open(module, threads);
    const text = (pointer) => suite.UTF8ToString(pointer);
    if (lose) {
      await loseContexts(suite, text);
      self.postMessage({ done: true });
      return;
    }
    for (const [op, all] of casesByOp(suite)) {
      const cases = pick(all, most);
      const wrong = cases.flatMap((i) => {
        const problem = text(suite._suite_check(i, device === 'webgl' ? 1 : 0));
        return problem === '' ? [] : [`${text(suite._suite_title(i))}: ${problem}`];
      });
      self.postMessage({ op, count: cases.length, of: all.length, wrong });
    }
    self.postMessage({ done: true });
  } catch (error) {
    self.postMessage({ error: `${error.stack ?? error}` });
  }
};
