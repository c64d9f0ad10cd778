import { afterEach, describe, expect, test, vi } from 'vitest';
import { persisted } from '../../../extension/src/background/persistence.ts';
import { Snapshot } from '../../../extension/src/training/snapshot.ts';
import { tellEvictable } from '../../../extension/src/training/storage_notices.ts';

function storage(
  already: boolean,
  granted: boolean,
): { manager: StorageManager; asked: () => number } {
  let asked = 0;
  const manager = {
    persisted: async () => already,
    persist: async () => {
      asked += 1;
      return granted;
    },
  } as unknown as StorageManager;
  return { manager, asked: () => asked };
}

describe('what is stored stays', () => {
  test.each([
    [true, false, true, 0],
    [false, true, true, 1],
    [false, false, false, 1],
  ])('already %s, granted %s: %s, asked %s times', async (already, granted, kept, times) => {
    const { manager, asked } = storage(already, granted);
    expect(await persisted(manager)).toBe(kept);
    expect(asked()).toBe(times);
  });

  test('not where the browser has no such promise', async () => {
    expect(await persisted({} as StorageManager)).toBe(false);
  });
});

test('storage that may be cleared is a notice', () => {
  const snapshot = new Snapshot(() => undefined);
  tellEvictable(snapshot);
  expect(snapshot.state.notices).toMatchObject([{ level: 'warning', code: 'storage.evictable' }]);
});

/** Those of the tests' set-up (texts.ts). */
const TEXTS = (globalThis.chrome as unknown as { i18n: object }).i18n;

describe('the event page', () => {
  let workers: FakeWorker[];
  class FakeWorker {
    onmessage: ((event: { data: unknown }) => void) | null = null;
    readonly got: unknown[] = [];
    constructor() {
      workers.push(this);
      setTimeout(() => this.onmessage?.({ data: { type: 'worker.ready' } }), 0);
    }
    postMessage(message: unknown): void {
      this.got.push(message);
    }
  }
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.each([
    [true, []],
    [false, [{ type: 'storage.evictable' }]],
  ])('asks the browser to keep what is stored; granted %s', async (granted, told) => {
    workers = [];
    let listener: (message: unknown, sender: object, respond: (answer: unknown) => void) => boolean;
    const event = { addListener: () => undefined };
    const nothing = async (): Promise<void> => undefined;
    vi.stubGlobal('chrome', {
      action: {
        setBadgeText: nothing,
        setBadgeBackgroundColor: nothing,
        setBadgeTextColor: nothing,
        setTitle: nothing,
      },
      i18n: TEXTS,
      permissions: { onAdded: event },
      runtime: {
        id: 'x',
        getURL: (path: string) => `moz-extension://x/${path}`,
        onStartup: event,
        onMessage: {
          addListener: (added: typeof listener) => (listener = added),
        },
      },
    });
    vi.stubGlobal('Worker', FakeWorker);
    vi.stubGlobal('navigator', { storage: storage(false, granted).manager });
    vi.resetModules();
    await import('../../../extension/src/background/event_page.ts');
    const ask = (): Promise<unknown> =>
      new Promise((resolve) => {
        const sender = { id: 'x', url: 'moz-extension://x/popup.html' };
        listener({ type: 'training.open' }, sender, resolve);
      });
    expect(await ask()).toEqual({ ok: true });
    await ask();
    expect(workers.map(({ got }) => got)).toEqual([told]);
  });
});
