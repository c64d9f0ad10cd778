// A worker that runs gemm_bench's rows in a module, one after the other with a turn of the event loop between them: a
// function that never returns stays in the browser's slow baseline code.
const turn = () => new Promise((done) => setTimeout(done, 0));

self.onmessage = async ({ data: { module, word, rounds } }) => {
  try {
    const { default: create } = await import(`./${module}`);
    const core = await create();
    for (let row = 0; row < core._gemm_bench_rows(); row += 1) {
      const title = core.UTF8ToString(core._gemm_bench_title(row));
      if (!title.includes(word)) continue;
      // Once to leave the baseline code.
      core._gemm_bench_gigaflops(row, 3);
      await turn();
      self.postMessage({ title, gigaflops: core._gemm_bench_gigaflops(row, rounds) });
    }
    self.postMessage({ done: true });
  } catch (error) {
    self.postMessage({ error: String(error?.stack ?? error) });
  }
};
