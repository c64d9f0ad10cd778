import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { crc32c } from '../../../extension/src/training/crc32c.ts';
import { HostLink } from '../../../extension/src/training/hostlink.ts';
import { FakeHost, HELLO, settle } from './fake_host.ts';
import type { HostMessage } from './fake_host.ts';

let host: FakeHost;
let link: HostLink;
let lost: string[];
let back: number;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  host = new FakeHost();
  lost = [];
  back = 0;
  link = new HostLink({
    wantPort: () => {
      host.link((port) => {
        link.takePort(port, '0.1.0');
      });
    },
    changed: () => undefined,
    lost: (message) => lost.push(message),
    back: () => {
      back += 1;
    },
  });
});
afterEach(() => {
  host.close();
  vi.useRealTimers();
});

const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7) % 251);

test('CRC-32C has the value of the standard', () => {
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  const all = bytesOf(1001);
  expect(crc32c(all.subarray(333), crc32c(all.subarray(0, 333)))).toBe(crc32c(all));
});

describe('the greeting', () => {
  test('names version and available folders', async () => {
    const status = await link.connect();
    expect(status).toMatchObject({
      state: 'connected',
      version: '0.1.0',
      roots: ['Data'],
    });
    expect(host.requests[0]).toMatchObject({
      type: 'hello',
      protocol: { min: 1, max: 1 },
      extension: '0.1.0',
    });
  });

  test('two at once greet once', async () => {
    await Promise.all([link.connect(), link.connect()]);
    expect(host.opened).toBe(1);
  });

  test('a host that is not installed is said in one line', async () => {
    host.onRequest = () => {
      host.tell({ type: 'relay.closed', end: 'missing', message: 'not found' });
    };
    const status = await link.connect();
    expect(status.state).toBe('missing');
    expect(status.message).toMatch(/No native host is installed.*Installing it adds/);
    await expect(link.request('checkpoint.list', {})).rejects.toMatchObject({
      code: 'host.missing',
    });
  });

  test.each([
    ['host', /native host is older.*update the native host/],
    ['extension', /native host is newer.*update the extension/],
  ])('an update of the %s is asked for', async (update, message) => {
    host.onRequest = (request) => {
      const fields = {
        ok: false,
        code: 'protocol.unsupported',
        message: 'No common version.',
        update,
      };
      host.reply(request, fields);
    };
    const status = await link.connect();
    expect(status.state).toBe('incompatible');
    expect(status.message).toMatch(message);
  });

  test('a version that was not offered is not accepted', async () => {
    host.onRequest = (request) => {
      host.reply(request, { ...HELLO, protocol: 2 });
    };
    expect((await link.connect()).state).toBe('incompatible');
  });

  test('a reply with holes is named', async () => {
    host.onRequest = (request) => {
      host.reply(request, { ok: true, protocol: 'one' });
    };
    const status = await link.connect();
    expect(status).toMatchObject({
      state: 'lost',
      message: expect.stringMatching(/does not fit.*hello\.protocol/),
    });
  });

  test('a silent host is given up', async () => {
    host.onRequest = () => undefined;
    const connecting = link.connect();
    await settle();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await connecting).toMatchObject({
      state: 'lost',
      message: expect.stringMatching(/no answer to hello for 8 s/),
    });
  });
});

describe('requests', () => {
  test('replies may come in another order', async () => {
    await link.connect();
    const open: HostMessage[] = [];
    host.onRequest = (request) => open.push(request);
    const first = link.request('checkpoint.remove', {
      name: 'run/a.safetensors',
    });
    const second = link.request('checkpoint.remove', {
      name: 'run/b.safetensors',
    });
    await settle();
    for (const request of open.reverse()) host.reply(request, { ok: true, name: request['name'] });
    expect([(await first).name, (await second).name]).toEqual([
      'run/a.safetensors',
      'run/b.safetensors',
    ]);
  });

  test('an error of the host keeps its code and its sentence', async () => {
    await link.connect();
    host.onRequest = (request) => {
      host.reply(request, {
        ok: false,
        code: 'store.disk_full',
        message: 'No room on /home.',
        free: 1,
        needed: 2,
      });
    };
    const request = link.request('checkpoint.begin', {
      name: 'run/a.safetensors',
      size: 10,
    });
    await expect(request).rejects.toMatchObject({
      code: 'store.disk_full',
      message: 'No room on /home.',
    });
    expect(link.connected).toBe(true);
  });

  test('a host that dies fails what is open and is told once', async () => {
    await link.connect();
    host.onRequest = () => {
      host.tell({
        type: 'relay.closed',
        end: 'exited',
        message: 'Native host has exited.',
      });
    };
    const request = link.request('checkpoint.list', {});
    await expect(request).rejects.toMatchObject({
      code: 'host.closed',
      message: expect.stringMatching(/ended/),
    });
    expect(link.status.state).toBe('lost');
    expect(lost).toHaveLength(1);
  });

  test('the next request after a loss connects again', async () => {
    await link.connect();
    host.tell({ type: 'relay.closed', end: 'exited', message: '' });
    await settle();
    host.onRequest = (request) => {
      host.reply(
        request,
        request.type === 'hello' ? HELLO : { ok: true, checkpoints: [], cursor: null },
      );
    };
    await expect(link.request('checkpoint.list', {})).resolves.toMatchObject({
      checkpoints: [],
    });
    expect(host.opened).toBe(2);
    expect(back).toBe(1);
  });
});

describe('streams', () => {
  const size = 65_536 * 70 + 100;
  const bytes = bytesOf(size);

  async function open(): Promise<{
    id: number;
    chunks: AsyncGenerator<Uint8Array>;
  }> {
    await link.connect();
    host.onRequest = (request) => {
      if (request.type !== 'dataset.read') return;
      host.reply(request, {
        ok: true,
        path: 'Data/a.csv',
        size,
        mtime: 1,
        bytes: size,
        frames: 71,
      });
    };
    const { chunks } = await link.read('dataset.read', { path: 'Data/a.csv' }, '"Data/a.csv"');
    return { id: host.requests.at(-1)!.id, chunks };
  }

  const creditsGiven = (): number =>
    host.requests
      .filter(({ type }) => type === 'flow.credit')
      .reduce((sum, { frames }) => sum + Number(frames), 0);

  async function collect(chunks: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    return Buffer.concat(parts);
  }

  test('all bytes arrive in order, with no more frames open than were allowed', async () => {
    const { id, chunks } = await open();
    const credits = Number(host.requests.at(-1)!['credits']);
    let sent = 0;
    const feed = async (): Promise<void> => {
      while (sent < 71) {
        const allowed = credits + creditsGiven() - sent;
        host.frames(id, bytes, sent, allowed);
        sent = Math.min(71, sent + allowed);
        await settle(5);
      }
      host.end(id, bytes);
    };
    const [whole] = await Promise.all([collect(chunks), feed()]);
    expect(Buffer.compare(whole, bytes)).toBe(0);
    expect(link.status).toMatchObject({ frames: 71, bytes: size });
    expect(host.requests.some(({ type }) => type === 'request.cancel')).toBe(false);
  });

  test('a reader that waits gives no credit', async () => {
    const { id, chunks } = await open();
    host.frames(id, bytes, 0, 32);
    await settle();
    await chunks.next();
    await settle();
    expect(creditsGiven()).toBe(0);
  });

  test('a host that sends more than allowed is cut off and told', async () => {
    const { id, chunks } = await open();
    host.frames(id, bytes, 0, 33);
    await settle();
    await expect(collect(chunks)).rejects.toMatchObject({ code: 'host.flow' });
    await settle();
    expect(host.requests.at(-1)).toMatchObject({
      type: 'request.cancel',
      target: id,
    });
  });

  test('a frame out of order ends the stream', async () => {
    const { id, chunks } = await open();
    host.frames(id, bytes, 0, 1);
    host.frames(id, bytes, 2, 1);
    const failure = {
      code: 'host.out_of_order',
      message: expect.stringMatching(/frame 2 came where frame 1/),
    };
    await expect(collect(chunks)).rejects.toMatchObject(failure);
  });

  test.each([
    ['a wrong checksum', { crc32c: 1 }, /checksum/],
    ['too few bytes', { bytes: 5 }, /host counts 5/],
  ])('%s is an error', async (_, change, message) => {
    const { id, chunks } = await open();
    let sent = 0;
    const feed = async (): Promise<void> => {
      for (; sent < 71; sent += 16) {
        host.frames(id, bytes, sent, 16);
        await settle(10);
      }
      host.end(id, bytes, change);
    };
    const collecting = collect(chunks);
    const outcome = expect(collecting).rejects.toMatchObject({
      code: 'host.incomplete',
      message: expect.stringMatching(message),
    });
    await feed();
    await outcome;
  });

  test('a file that vanishes mid-read keeps the host’s sentence', async () => {
    const { id, chunks } = await open();
    host.frames(id, bytes, 0, 2);
    host.say({
      id,
      ok: false,
      code: 'dataset.vanished',
      message: 'Data/a.csv was removed.',
      path: 'Data/a.csv',
    });
    await expect(collect(chunks)).rejects.toMatchObject({
      code: 'dataset.vanished',
    });
  });

  test('leaving early cancels', async () => {
    const { id, chunks } = await open();
    host.frames(id, bytes, 0, 2);
    await settle();
    for await (const chunk of chunks) {
      expect(chunk).toHaveLength(65_536);
      break;
    }
    await settle();
    expect(host.requests.at(-1)).toMatchObject({
      type: 'request.cancel',
      target: id,
    });
  });

  test('a stream that falls silent is given up', async () => {
    const { id, chunks } = await open();
    host.frames(id, bytes, 0, 2);
    const outcome = expect(collect(chunks)).rejects.toMatchObject({
      code: 'host.silent',
    });
    await settle();
    for (let i = 0; i < 20; i += 1) {
      await vi.advanceTimersByTimeAsync(3000);
      await settle();
    }
    await outcome;
  });
});

describe('a background that the browser stopped', () => {
  test('is noticed by its silence, woken, and the host greeted anew', async () => {
    await link.connect();
    const stuck = vi.fn();
    host.onRequest = (request) => {
      if (request.type === 'hello') host.reply(request, HELLO);
    };
    link.request('checkpoint.list', {}).catch(stuck);
    await settle();
    host.alive = false;
    for (let i = 0; i < 10; i += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      await settle();
    }
    expect(stuck.mock.calls[0]?.[0]).toMatchObject({ code: 'host.closed' });
    expect(link.connected).toBe(true);
    expect(host.opened).toBe(2);
    expect(lost).toEqual([]);
  });
});
