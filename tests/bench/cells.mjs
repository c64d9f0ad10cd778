// Our own cells: the adapter on a workload in a worker of a plain, cross-origin isolated page in Chromium. No other
// library and no harness is needed.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PlainBrowser } from '../e2e/lib/plain_page.mjs';
import { BUILD, ROOT } from '../e2e/lib/world.mjs';
import { load } from './figures.mjs';
import { OURS } from './table.mjs';

/** Where `packaging/build.sh bench` puts the module beside its adapter. */
export const ADAPTER_FOLDER = join(BUILD, 'bench/adapter');
export const ADAPTER = join(ADAPTER_FOLDER, 'shadegrad_adapter.mjs');

export function build(part = 'bench') {
  execFileSync(join(ROOT, 'packaging/build.sh'), [part], { stdio: 'inherit' });
}

export class OwnCells {
  static async open() {
    const own = new OwnCells();
    await own.#launch();
    return own;
  }

  async #launch() {
    const folders = [ADAPTER_FOLDER, new URL('.', import.meta.url).pathname];
    this.browser = await PlainBrowser.launch('chromium', folders, { timeout: 0 });
  }

  /** limits: {budgetMs, minSteps, maxSteps}. A failure is a cell, too; a browser that it took along is replaced. */
  async run(workload, device, limits, round = 0) {
    const cell = { workload: workload.id, peer: OURS + device, round, load: load() };
    try {
      const reports = await this.browser.run('bench_worker.mjs', { workload, device, limits });
      return { ...cell, ok: true, ...reports.at(-1) };
    } catch (error) {
      if (!this.browser.browser.connected) {
        await this.browser.close();
        await this.#launch();
      }
      return { ...cell, ok: false, error: String(error.message) };
    }
  }

  close() {
    return this.browser.close();
  }
}
