// The op cases in real browsers: every op's values against the reference and its gradients against the reference's
// slopes, on WebAssembly and on WebGL2, in Chromium and Firefox, each in the module that the extension would take there;
// on WebAssembly also in the plainest one; and a context that is lost at each of the kernels. OP_CASES is how many cases
// an op runs: a number, or "all"; without it a share that keeps the whole within minutes. OP_BROWSERS names the
// browsers, with commas.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { PlainBrowser } from '../e2e/lib/plain_page.mjs';
import { BUILD } from '../e2e/lib/world.mjs';

const SHARE = { cpu: 8, webgl: 3 };
const LIMIT = process.env.OP_CASES === 'all' ? 3_000_000 : 240_000;
const FOLDERS = [join(BUILD, 'wasm/tests'), new URL('.', import.meta.url).pathname];
/** Of each browser: its module, the threads that the kernels run on, and whether products are added unrounded. */
const MODULES = {
  chromium: { module: 'op_suite_threads', threads: 3, fused: true },
  firefox: { module: 'op_suite_relaxed', threads: 1, fused: true },
};
const PLAIN = { module: 'op_suite', threads: 1, fused: false };
/** The module with threads where there is one processor: that it starts, and a few cases. */
const ALONE = { ...MODULES.chromium, on: 'one thread', device: 'cpu', threads: 1, most: 2 };
const BROWSERS = process.env.OP_BROWSERS?.split(',') ?? ['chromium', 'firefox'];

function casesOf(device) {
  const given = process.env.OP_CASES ?? String(SHARE[device]);
  return given === 'all' ? 1e9 : Number(given);
}

function runs(name) {
  return [
    { on: 'cpu', device: 'cpu', ...MODULES[name] },
    { on: 'webgl', device: 'webgl', ...MODULES[name] },
    ...(name === 'chromium' ? [{ on: 'plain cpu', device: 'cpu', ...PLAIN }, ALONE] : []),
  ];
}

for (const name of BROWSERS) {
  test(`the ops in ${name}`, { timeout: 2 * LIMIT }, async (t) => {
    const browser = await PlainBrowser.launch(name, FOLDERS, { timeout: LIMIT });
    try {
      for (const { on, device, module, threads, fused, most } of runs(name)) {
        const asked = { module, threads, device, most: most ?? casesOf(device) };
        const [has, ...reports] = await browser.run('worker.mjs', asked);
        await t.test(`${module} has what it is for in ${name}`, () =>
          assert.deepEqual(has, { threads, fused }),
        );
        assert.ok(reports.length > 1, 'the module has cases');
        for (const { op, count, of, wrong } of reports.slice(0, -1)) {
          await t.test(`${op} on ${on} in ${name}: ${count} of ${of} cases`, () =>
            assert.deepEqual(wrong, []),
          );
        }
      }
      const [, ...kernels] = await browser.run('worker.mjs', { ...MODULES[name], lose: true });
      assert.ok(kernels.length > 1, 'the module has kernels');
      for (const { kernel, wrong } of kernels.slice(0, -1)) {
        await t.test(`a context lost at the kernel ${kernel} in ${name}`, () =>
          assert.equal(wrong, ''),
        );
      }
    } finally {
      await browser.close();
    }
  });
}
