// Loads the fastest of the package's core modules that this browser can run.
import { coreWorkerUrl } from '../browser.ts';
import { isRecord } from '../messages/validate.ts';
import { CoreError } from './core.ts';
import { modulesToRun, threadsToUse } from './core_choice.ts';
import type { CoreModuleName } from './core_choice.ts';

/** What Emscripten makes of a module: its function that starts it. */
type Factory = (options?: object) => Promise<unknown>;
/** The modules of a package; no browser's has all. */
export type Package = Partial<Record<CoreModuleName, () => Promise<{ default: Factory }>>>;

export async function createModule(modules: Package): Promise<unknown> {
  for (const name of modulesToRun()) {
    const module = modules[name];
    if (module === undefined) continue;
    const { default: create } = await module();
    return name === 'core_threads' ? withThreads(create) : create();
  }
  throw new CoreError('core.missing', 'The package has no training core for this browser.');
}

/** The module starts its workers through us: a worker that fails is an error of the start, which otherwise never ended. */
async function withThreads(create: Factory): Promise<unknown> {
  const threads = threadsToUse();
  const module = await new Promise((done, fail) => {
    const startWorker = (): Worker => {
      const worker = new Worker(coreWorkerUrl(), { type: 'module' });
      worker.addEventListener('error', ({ message }) => {
        fail(
          new CoreError('core.missing', `A thread of the training core did not start: ${message}`),
        );
      });
      return worker;
    };
    create({ threads, startWorker }).then(done, fail);
  });
  const setThreads = isRecord(module) ? module['_sg_set_threads'] : undefined;
  if (typeof setThreads === 'function') setThreads.call(module, threads);
  return module;
}
