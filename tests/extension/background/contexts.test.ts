import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Runs } from '../../../extension/src/storage/runs.ts';
import { FakeFolder } from '../fake_opfs.ts';

type Listener = (message: unknown, sender: object, respond: (answer: unknown) => void) => boolean;

/** Those of the tests' set-up (texts.ts). */
const TEXTS = (globalThis.chrome as unknown as { i18n: object }).i18n;

const ID = 'abcdefghijklmnopabcdefghijklmnop';
const ORIGIN = `chrome-extension://${ID}/`;
const OWN = { id: ID, url: `${ORIGIN}popup.html` };

let listener: Listener;
let contexts: object[];
let created: string[];
let toOffscreen: unknown[];
let badge: string;
let disk: FakeFolder;
let startUp: () => void;

/** What the browser gives a service worker, as far as it is used. */
function fakeChrome(): object {
  return {
    action: {
      setBadgeText: async ({ text }: { text: string }) => {
        badge = text;
      },
      setBadgeBackgroundColor: async () => undefined,
      setBadgeTextColor: async () => undefined,
      setTitle: async () => undefined,
    },
    i18n: TEXTS,
    permissions: { onAdded: { addListener: () => undefined } },
    runtime: {
      id: ID,
      onStartup: {
        addListener: (added: () => void) => {
          startUp = added;
        },
      },
      ContextType: { OFFSCREEN_DOCUMENT: 'OFFSCREEN_DOCUMENT' },
      getURL: (path: string) => ORIGIN + path,
      getManifest: () => ({ version: '0.1.0' }),
      getContexts: async () => contexts,
      onMessage: {
        addListener: (added: Listener) => {
          listener = added;
        },
      },
      sendMessage: async (message: unknown) => {
        toOffscreen.push(message);
        return { ok: true };
      },
      connectNative: () => {
        throw new Error('not in this test');
      },
    },
    offscreen: {
      Reason: { WORKERS: 'WORKERS' },
      createDocument: async ({ url, reasons }: { url: string; reasons: string[] }) => {
        if (contexts.length > 0)
          throw new Error('Only a single offscreen document may be created.');
        await new Promise((resolve) => setTimeout(resolve, 5));
        created.push(url, ...reasons);
        contexts.push({});
      },
    },
  };
}

const clients: { url: string; postMessage: ReturnType<typeof vi.fn> }[] = [];

const ask = (message: unknown, sender: object = OWN): Promise<unknown> =>
  new Promise((resolve) => {
    if (!listener(message, sender, resolve)) resolve('not handled');
  });

beforeEach(async () => {
  contexts = [];
  badge = 'untouched';
  disk = new FakeFolder();
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => disk.asHandle() } });
  created = [];
  toOffscreen = [];
  clients.length = 0;
  vi.stubGlobal('chrome', fakeChrome());
  vi.stubGlobal('self', { clients: { matchAll: async () => clients } });
  vi.resetModules();
  await import('../../../extension/src/background/service_worker.ts');
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the mark on the icon', () => {
  const load = (): Promise<unknown> => {
    vi.resetModules();
    return import('../../../extension/src/background/service_worker.ts');
  };
  const LAST = {
    source: { kind: 'example', name: 'x.csv', size: 1, path: null, imported: null },
    checkpoint: { store: 'browser', id: 'lstm-1/auto-3.safetensors' },
    step: 30,
    epoch: 3,
    epochs: 10,
    loss: 0.5,
    device: 'cpu',
    time: 0,
  } as const;

  test('is that of the newest message, wherever the worker was restarted before', async () => {
    contexts.push({});
    await load();
    const mark = { kind: 'training', name: 'x', percent: 7, loss: null, secondsLeft: null };
    expect(await ask({ type: 'run.mark', mark: { ...mark, news: null } })).toEqual({ ok: true });
    expect(badge).toBe('7%');
    await load();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(badge).toBe('7%');
  });

  test('goes away with the context that trained', async () => {
    await vi.waitFor(() => {
      expect(badge).toBe('');
    });
  });

  test('shows at the start of the browser that a run was cut off, and not one that was stopped', async () => {
    const runs = new Runs(async () => disk.asHandle());
    await runs.remember({ ...LAST, interrupted: true });
    await load();
    await vi.waitFor(() => {
      expect(badge).toBe('II');
    });
    await runs.remember({ ...LAST, interrupted: false });
    startUp();
    await vi.waitFor(() => {
      expect(badge).toBe('');
    });
  });
});

describe('the service worker', () => {
  test('opens one offscreen document, however many pages ask at once, and waits for its worker', async () => {
    const answers = await Promise.all([
      ask({ type: 'training.open' }),
      ask({ type: 'training.open' }),
    ]);
    expect(answers).toEqual([{ ok: true }, { ok: true }]);
    expect(created).toEqual(['offscreen.html', 'WORKERS']);
    expect(toOffscreen).toEqual([{ type: 'training.wait' }, { type: 'training.wait' }]);
  });

  test('does not open a second one after it was restarted', async () => {
    contexts.push({});
    await ask({ type: 'training.open' });
    expect(created).toEqual([]);
  });

  test('says why the document could not be opened', async () => {
    const { offscreen } = globalThis.chrome as unknown as {
      offscreen: { createDocument: unknown };
    };
    offscreen.createDocument = async () => {
      throw new Error('No space for a document.');
    };
    const answer = await ask({ type: 'training.open' });
    expect(answer).toMatchObject({
      ok: false,
      message: expect.stringMatching(/could not be opened: No space/),
    });
  });

  test.each([
    [
      'another extension',
      {
        id: 'ponmlkjihgfedcbaponmlkjihgfedcba',
        url: 'chrome-extension://ponm/x.html',
      },
    ],
    ['a web page', { id: ID, url: 'https://example.org/', tab: {} }],
    ['an address that only begins alike', { id: ID, url: `chrome-extension://${ID}x/popup.html` }],
    ['a sender without address', { id: ID }],
    ['nobody', {}],
  ])('does not listen to %s', async (_, sender) => {
    expect(await ask({ type: 'training.open' }, sender)).toBe('not handled');
    expect(created).toEqual([]);
  });

  test.each([null, 'training.open', {}, { type: 1 }, { type: 'other' }])(
    'leaves %j alone',
    async (message) => {
      expect(await ask(message)).toBe('not handled');
    },
  );

  test('hands a port to the offscreen document and to no other page', async () => {
    const popup = { url: `${ORIGIN}popup.html`, postMessage: vi.fn() };
    const offscreen = { url: `${ORIGIN}offscreen.html`, postMessage: vi.fn() };
    clients.push(popup, offscreen);
    expect(await ask({ type: 'relay.link' })).toEqual({ ok: true });
    expect(popup.postMessage).not.toHaveBeenCalled();
    const [message, [port]] = offscreen.postMessage.mock.calls[0] as [unknown, MessagePort[]];
    expect(message).toEqual({ type: 'relay.port', version: '0.1.0' });
    const pong = new Promise((resolve) => {
      port!.onmessage = ({ data }) => {
        resolve(data);
      };
    });
    port!.postMessage({ type: 'relay.ping', number: 3 });
    expect(await pong).toEqual({ type: 'relay.pong', number: 3 });
    port!.close();
  });

  test('says so when there is no document to link', async () => {
    expect(await ask({ type: 'relay.link' })).toMatchObject({
      ok: false,
      code: 'training.missing',
    });
  });
});
