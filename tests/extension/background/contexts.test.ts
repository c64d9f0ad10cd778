import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

type Listener = (message: unknown, sender: object, respond: (answer: unknown) => void) => boolean;

const ID = 'abcdefghijklmnopabcdefghijklmnop';
const ORIGIN = `chrome-extension://${ID}/`;
const OWN = { id: ID, url: `${ORIGIN}popup.html` };

let listener: Listener;
let contexts: object[];
let created: string[];
let toOffscreen: unknown[];

/** What the browser gives a service worker, as far as it is used. */
function fakeChrome(): object {
  return {
    runtime: {
      id: ID,
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
