import { afterEach, describe, expect, test, vi } from 'vitest';
import { decodeBase64, encodeBase64 } from '../../../extension/src/background/base64.ts';
import { portEnd, Relay } from '../../../extension/src/background/relay.ts';
import type { NativePort } from '../../../extension/src/background/relay.ts';
import { KeepAlive } from '../../../extension/src/background/keep_alive.ts';

class FakePort implements NativePort {
  error: { message: string } | null = null;
  readonly sent: unknown[] = [];
  disconnected = false;
  deliver: (message: unknown) => void = () => undefined;
  end: () => void = () => undefined;
  readonly onMessage = {
    addListener: (listener: (message: unknown) => void) => {
      this.deliver = listener;
    },
  };
  readonly onDisconnect = {
    addListener: (listener: (port: NativePort) => void) => {
      this.end = () => {
        listener(this);
      };
    },
  };
  postMessage(message: unknown): void {
    if (this.disconnected) throw new Error('Attempting to use a disconnected port object');
    this.sent.push(message);
  }
  disconnect(): void {
    this.disconnected = true;
  }
}

function setUp() {
  const ports: FakePort[] = [];
  let lastError: string | null = null;
  const { port1, port2 } = new MessageChannel();
  const relay = new Relay(port1, {
    connectNative: () => {
      const port = new FakePort();
      ports.push(port);
      return port;
    },
    lastError: () => lastError,
  });
  const received: Record<string, unknown>[] = [];
  port2.onmessage = ({ data }) => received.push(data as Record<string, unknown>);
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  return {
    ports,
    received,
    settle,
    tell: async (message: unknown) => {
      port2.postMessage(message);
      await settle();
    },
    setError: (error: string | null) => {
      lastError = error;
    },
    close: () => {
      relay.close();
      port2.close();
    },
  };
}

let parts: ReturnType<typeof setUp>;
afterEach(() => {
  parts.close();
});

describe('the relay', () => {
  test.each(['dataset', 'checkpoint', 'shard'])(
    'decodes bytes of data frames of a %s and hands messages on as they are',
    async (kind) => {
      parts = setUp();
      await parts.tell({ type: 'relay.open' });
      parts.ports[0]!.deliver({ id: 1, ok: true, bytes: 5 });
      parts.ports[0]!.deliver({
        id: 1,
        type: `${kind}.data`,
        sequence: 0,
        last: true,
        bytes: 'AAEC',
      });
      await parts.settle();
      expect(parts.received[0]).toEqual({
        type: 'relay.message',
        message: { id: 1, ok: true, bytes: 5 },
      });
      const { message } = parts.received[1] as {
        message: { bytes: ArrayBuffer };
      };
      expect([...new Uint8Array(message.bytes)]).toEqual([0, 1, 2]);
    },
  );

  test('encodes bytes on their way to the host', async () => {
    parts = setUp();
    await parts.tell({ type: 'relay.open' });
    const bytes = Uint8Array.from([0, 1, 2]).buffer;
    await parts.tell({
      type: 'relay.send',
      message: { id: 2, type: 'checkpoint.write', bytes },
    });
    expect(parts.ports[0]!.sent).toEqual([{ id: 2, type: 'checkpoint.write', bytes: 'AAEC' }]);
  });

  test('ends the port at bytes that are not base64', async () => {
    parts = setUp();
    await parts.tell({ type: 'relay.open' });
    parts.ports[0]!.deliver({ id: 1, type: 'dataset.data', bytes: '%%%' });
    await parts.settle();
    expect(parts.received).toMatchObject([{ type: 'relay.closed', end: 'broken' }]);
    expect(parts.ports[0]!.disconnected).toBe(true);
  });

  test('says why a port ended, in the words of either browser', async () => {
    parts = setUp();
    await parts.tell({ type: 'relay.open' });
    parts.setError('Specified native messaging host not found.');
    parts.ports[0]!.end();
    parts.setError(null);
    await parts.tell({ type: 'relay.open' });
    parts.ports[1]!.error = {
      message: 'No such native application io.shadegrad.host',
    };
    parts.ports[1]!.end();
    await parts.tell({ type: 'relay.open' });
    parts.ports[2]!.end();
    await parts.settle();
    expect(parts.received.map(({ end }) => end)).toEqual(['missing', 'missing', 'exited']);
  });

  test('an earlier port that ends late does not end the newer one', async () => {
    parts = setUp();
    await parts.tell({ type: 'relay.open' });
    await parts.tell({ type: 'relay.open' });
    expect(parts.ports[0]!.disconnected).toBe(true);
    parts.ports[0]!.end();
    parts.ports[0]!.deliver({ id: 1, ok: true });
    await parts.settle();
    expect(parts.received).toEqual([]);
  });

  test('answers signs of life and survives messages of any shape', async () => {
    parts = setUp();
    await parts.tell(null);
    await parts.tell('relay.open');
    await parts.tell({ type: 'relay.ping', number: 7 });
    expect(parts.received).toEqual([{ type: 'relay.pong', number: 7 }]);
  });

  test('sending without a port is answered, not lost', async () => {
    parts = setUp();
    await parts.tell({ type: 'relay.send', message: { id: 1, type: 'hello' } });
    expect(parts.received).toMatchObject([{ type: 'relay.closed', end: 'exited' }]);
  });
});

describe('reasons of the browsers', () => {
  test.each([
    ['Access to the specified native messaging host is forbidden.', 'forbidden'],
    ['Native host has exited.', 'exited'],
    ['Error when communicating with the native messaging host.', 'broken'],
    ['An unexpected error occurred', 'broken'],
    [null, 'exited'],
  ] as const)('%s', (reason, end) => {
    parts = setUp();
    expect(portEnd(reason)).toBe(end);
  });
});

describe('base64', () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, i) => (i * 31) % 256);

  test('comes back as it was, with and without the built-in', () => {
    parts = setUp();
    const text = Buffer.from(bytes).toString('base64');
    expect(encodeBase64(bytes)).toBe(text);
    expect(decodeBase64(text)).toEqual(bytes);
    const native = Uint8Array as unknown as Record<string, unknown>;
    const kept = native['fromBase64'];
    native['fromBase64'] = undefined;
    try {
      expect(decodeBase64(text)).toEqual(bytes);
    } finally {
      native['fromBase64'] = kept;
    }
  });

  test.each(['A', '%%%%', 'AAA=A', '====='])('%s is refused', (text) => {
    parts = setUp();
    expect(() => decodeBase64(text)).toThrow();
  });
});

describe('keeping alive', () => {
  test('touches at once and then more often than every 30 s, until it is over', () => {
    parts = setUp();
    vi.useFakeTimers();
    const touch = vi.fn(async () => undefined);
    const keepAlive = new KeepAlive(touch);
    keepAlive.set(true);
    keepAlive.set(true);
    vi.advanceTimersByTime(90_000);
    expect(touch.mock.calls.length).toBeGreaterThanOrEqual(4);
    keepAlive.set(false);
    const calls = touch.mock.calls.length;
    vi.advanceTimersByTime(90_000);
    expect(touch.mock.calls.length).toBe(calls);
    vi.useRealTimers();
  });
});
