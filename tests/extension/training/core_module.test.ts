import { afterEach, describe, expect, test, vi } from 'vitest';
import { createModule } from '../../../extension/src/training/core_module.ts';
import type { Package } from '../../../extension/src/training/core_module.ts';

interface Browser {
  isolated?: boolean;
  shared?: boolean;
  relaxed?: boolean;
  processors?: number;
}

/** The globals of a training worker. */
function stub({ isolated = true, shared = true, relaxed = true, processors = 4 }: Browser): void {
  vi.stubGlobal('crossOriginIsolated', isolated);
  if (!shared) vi.stubGlobal('SharedArrayBuffer', undefined);
  vi.stubGlobal('navigator', { hardwareConcurrency: processors });
  vi.stubGlobal('location', { href: 'chrome-extension://id/training.js' });
  vi.spyOn(WebAssembly, 'validate').mockReturnValue(relaxed);
}

interface Started {
  name: string;
  threads?: number;
  startWorker?: () => Worker;
}

function packageOf(...names: (keyof Package)[]): { modules: Package; started: Started[] } {
  const started: Started[] = [];
  const one = (name: string) => async () => ({
    default: async (options: object = {}) => {
      started.push({ name, ...options });
      return { name, _sg_set_threads: vi.fn() };
    },
  });
  return { started, modules: Object.fromEntries(names.map((name) => [name, one(name)])) };
}

const passedOver = vi.fn();

const all = ['core', 'core_relaxed', 'core_threads'] as const;

afterEach(() => {
  vi.unstubAllGlobals();
  passedOver.mockReset();
  vi.restoreAllMocks();
});

test.each([
  ['core_threads', {}, all],
  ['core_relaxed', { isolated: false }, all],
  ['core_relaxed', { shared: false }, all],
  ['core_relaxed', { processors: 1 }, all],
  ['core_relaxed', {}, ['core', 'core_relaxed']],
  ['core', { relaxed: false }, all],
  ['core', { isolated: false }, ['core', 'core_threads']],
] as const)(
  '%s is started where the browser is %o and the package has %o',
  async (name, browser, has) => {
    stub(browser);
    const { modules, started } = packageOf(...has);
    await createModule(modules, passedOver);
    expect(started.map((one) => one.name)).toEqual([name]);
    expect(passedOver).not.toHaveBeenCalled();
  },
);

test('the probe is a module that this engine knows, and is refused where an instruction is unknown', async () => {
  stub({});
  const { modules } = packageOf(...all);
  vi.mocked(WebAssembly.validate).mockRestore();
  const validate = vi.spyOn(WebAssembly, 'validate');
  await createModule(modules, passedOver);
  expect(validate).toHaveReturnedWith(true);
  const probe = (validate.mock.calls[0]![0] as Uint8Array<ArrayBuffer>).slice();
  probe[probe.length - 2] = 3; // of 0xfd 0x180, which is no instruction
  expect(WebAssembly.validate(probe)).toBe(false);
});

test.each([
  [2, 2],
  [4, 4],
  [64, 8],
])('on %i processors %i threads work', async (processors, threads) => {
  stub({ processors });
  const { modules, started } = packageOf('core_threads');
  const module = (await createModule(modules, passedOver)) as { _sg_set_threads: unknown };
  expect(started[0]!.threads).toBe(threads);
  expect(module._sg_set_threads).toHaveBeenCalledWith(threads);
});

test('a package without a module for this browser says so', async () => {
  stub({ isolated: false });
  await expect(createModule(packageOf('core_threads').modules, passedOver)).rejects.toMatchObject({
    code: 'core.missing',
  });
});

class FakeWorker extends EventTarget {
  static readonly made: FakeWorker[] = [];
  readonly url: string;
  readonly type: string | undefined;
  readonly terminate = vi.fn();
  constructor(url: string, options?: WorkerOptions) {
    super();
    this.url = url;
    this.type = options?.type;
    FakeWorker.made.push(this);
  }
}

/** A module that waits for its workers for ever, as Emscripten's does. */
const waiting: Package = {
  core_threads: async () => ({
    default: async (options) => {
      (options as Started).startWorker!();
      return new Promise(() => undefined);
    },
  }),
};

test('workers are started from the package, through the policy where there is one', async () => {
  stub({});
  vi.stubGlobal('Worker', FakeWorker);
  FakeWorker.made.length = 0;
  const createPolicy = vi.fn(
    (_: string, rules: { createScriptURL: (url: string) => string }) => rules,
  );
  vi.stubGlobal('trustedTypes', { createPolicy });
  void createModule(waiting, passedOver);
  await vi.waitFor(() => {
    expect(FakeWorker.made).toHaveLength(1);
  });
  expect(FakeWorker.made[0]).toMatchObject({
    url: 'chrome-extension://id/core_threads.worker.js',
    type: 'module',
  });
  expect(createPolicy).toHaveBeenCalledWith('shadegrad', expect.anything());
  const { createScriptURL } = createPolicy.mock.calls[0]![1];
  expect(() => createScriptURL('chrome-extension://id/other.js')).toThrow(/not a script/);
});

test('a worker that does not start is an error of the start', async () => {
  stub({});
  vi.stubGlobal('Worker', FakeWorker);
  FakeWorker.made.length = 0;
  const created = createModule(waiting, passedOver);
  await vi.waitFor(() => {
    expect(FakeWorker.made).toHaveLength(1);
  });
  FakeWorker.made[0]!.dispatchEvent(Object.assign(new Event('error'), { message: 'refused' }));
  await expect(created).rejects.toMatchObject({
    code: 'core.missing',
    message: expect.stringContaining('refused') as string,
  });
  expect(FakeWorker.made[0]!.terminate).toHaveBeenCalled();
});

describe('a module that does not start', () => {
  const failing = (message: string) => async () => ({
    default: async () => Promise.reject(new RangeError(message)),
  });

  test('leaves its place to the next one of the package, and is told', async () => {
    stub({});
    const { modules, started } = packageOf('core');
    const core_threads = failing('No shared memory.');
    expect(await createModule({ ...modules, core_threads }, passedOver)).toMatchObject({
      name: 'core',
    });
    expect(started).toEqual([{ name: 'core' }]);
    expect(passedOver).toHaveBeenCalledExactlyOnceWith(
      'core_threads',
      expect.objectContaining({ message: 'No shared memory.' }),
    );
  });

  test('is the error of the start where it is the last one', async () => {
    stub({});
    const modules = {
      core_threads: failing('No shared memory.'),
      core_relaxed: failing('No memory.'),
      core: failing('No memory at all.'),
    };
    await expect(createModule(modules, passedOver)).rejects.toThrow('No memory at all.');
    expect(passedOver.mock.calls.map(([name]) => name as string)).toEqual([
      'core_threads',
      'core_relaxed',
    ]);
  });
});
