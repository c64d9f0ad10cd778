// Loads the fastest of the package's core modules that this browser can run, and the next one where that does not start.
import { coreWorkerUrl } from '../browser.ts';
import { isRecord } from '../messages/validate.ts';
import { CoreError } from './core.ts';
import { modulesToRun, threadsToUse } from './core_choice.ts';
import type { CoreModuleName } from './core_choice.ts';

/** What Emscripten makes of a module: its function that starts it. */
type Factory = (options?: object) => Promise<unknown>;
/** The modules of a package; no browser's has all. */
export type Package = Partial<Record<CoreModuleName, () => Promise<{ default: Factory }>>>;

/** `passedOver` is told of each module that did not start while there is another one to try. */
export async function createModule(
  modules: Package,
  passedOver: (name: CoreModuleName, error: unknown) => void,
): Promise<unknown> {
  const runnable = modulesToRun().flatMap((name) => {
    const load = modules[name];
    return load === undefined ? [] : [{ name, load }];
  });
  for (const one of runnable) {
    const { name, load } = one;
    try {
      const { default: create } = await load();
      return await (name === 'core_threads' ? withThreads(create) : create());
    } catch (error) {
      // Workers that are refused, or memory that cannot be set aside, say nothing of a plainer module.
      if (one === runnable.at(-1)) throw error;
      passedOver(name, error);
    }
  }
  throw new CoreError('core.missing', 'The package has no training core for this browser.');
}

/** The module starts its workers through us: a worker that fails is an error of the start, which otherwise never ended. */
async function withThreads(create: Factory): Promise<unknown> {
  const threads = threadsToUse();
  const workers: Worker[] = [];
  const module = await new Promise((done, fail) => {
    const startWorker = (): Worker => {
      const worker = new Worker(coreWorkerUrl(), { type: 'module' });
      workers.push(worker);
      worker.addEventListener('error', ({ message }) => {
        fail(
          new CoreError('core.missing', `A thread of the training core did not start: ${message}`),
        );
      });
      return worker;
    };
    create({ threads, startWorker }).then(done, fail);
  }).catch((error: unknown) => {
    // They would hold on to the shared memory beside the module that is started instead.
    for (const worker of workers) worker.terminate();
    throw error;
  });
  const setThreads = isRecord(module) ? module['_sg_set_threads'] : undefined;
  if (typeof setThreads === 'function') setThreads.call(module, threads);
  return module;
}
