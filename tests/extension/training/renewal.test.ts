// A host that ends because what it may read has changed: the next one is greeted without a word to anybody, what was
// refused is asked once more, and an open save is not carried on.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HostDialog } from '../../../extension/src/training/host_dialog.ts';
import { HostLink } from '../../../extension/src/training/hostlink.ts';
import { FakeHost, HELLO, settle } from './fake_host.ts';
import type { HostMessage } from './fake_host.ts';

let host: FakeHost;
let link: HostLink;
let lost: string[];
let back: number;
/** What the process with this number (from 1) does with a request. */
let answers: ((request: HostMessage) => void)[];

const refuse = (request: HostMessage): void => {
  host.reply(request, { ok: false, code: 'host.restart', message: 'The grants have changed.' });
};
const end = (): void => {
  host.tell({ type: 'relay.closed', end: 'exited', message: 'Native host has exited.' });
};
const list = (request: HostMessage): void => {
  host.reply(request, { ok: true, entries: [], cursor: null, truncated: false });
};
const asked = (type: string): HostMessage[] =>
  host.requests.filter((request) => request.type === type);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  host = new FakeHost();
  host.onRequest = (request) => {
    if (request.type === 'hello') host.reply(request, HELLO);
    else answers[host.opened - 1]?.(request);
  };
  answers = [];
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
  await link.connect();
});
afterEach(() => {
  host.close();
  vi.useRealTimers();
});

describe('a request that is refused because the grants have changed', () => {
  test('is asked once more of the next host', async () => {
    answers = [
      (request) => {
        refuse(request);
        end();
      },
      list,
    ];
    await expect(link.request('dataset.list', {})).resolves.toMatchObject({ entries: [] });
    expect([host.opened, asked('dataset.list').length]).toEqual([2, 2]);
    expect(link.connected).toBe(true);
    expect([lost, back]).toEqual([[], 0]);
  });

  test('is asked no third time', async () => {
    const both = (request: HostMessage): void => {
      refuse(request);
      end();
    };
    answers = [both, both, list];
    await expect(link.request('dataset.list', {})).rejects.toMatchObject({ code: 'host.restart' });
    await settle();
    expect([host.opened, asked('dataset.list').length]).toEqual([3, 2]);
    await expect(link.request('dataset.list', {})).resolves.toMatchObject({ entries: [] });
  });

  test('waits with all others for one next host', async () => {
    answers = [refuse, list];
    const all = [1, 2, 3].map(() => link.request('dataset.list', {}));
    await settle();
    const late = link.request('dataset.list', { path: 'Data' });
    await settle();
    expect(asked('dataset.list')).toHaveLength(3);
    end();
    await Promise.all([...all, late]);
    expect([host.opened, asked('dataset.list').length]).toEqual([2, 7]);
  });

  test('may be a reading', async () => {
    answers = [
      (request) => {
        refuse(request);
        end();
      },
      (request) => {
        if (request.type !== 'dataset.read') return;
        const whole = { path: 'Data/a.csv', size: 3, mtime: 1, bytes: 3, frames: 1 };
        host.reply(request, { ok: true, ...whole });
        host.frames(request.id, Uint8Array.of(1, 2, 3));
        host.end(request.id, Uint8Array.of(1, 2, 3));
      },
    ];
    const { chunks } = await link.read('dataset.read', { path: 'Data/a.csv' }, '"Data/a.csv"');
    const got: number[] = [];
    for await (const chunk of chunks) got.push(...chunk);
    expect(got).toEqual([1, 2, 3]);
  });

  test('is not asked again of a save that ended with its host', async () => {
    answers = [refuse, list];
    const commit = link.request('checkpoint.commit', { handle: 1 });
    await expect(commit).rejects.toMatchObject({ code: 'host.restart' });
    end();
    await settle();
    expect(asked('checkpoint.commit')).toHaveLength(1);
    expect(host.opened).toBe(2);
  });
});

describe('a host that starts anew', () => {
  test('fails what was open as a lost host does', async () => {
    answers = [
      (request) => {
        if (request.type === 'dataset.list') refuse(request);
      },
      list,
    ];
    const write = { handle: 1, sequence: 0, bytes: new ArrayBuffer(1) };
    const open = link.request('checkpoint.write', write);
    const failed = expect(open).rejects.toMatchObject({ code: 'host.closed' });
    const listing = link.request('dataset.list', {});
    await settle();
    end();
    await failed;
    await listing;
    expect(asked('checkpoint.write')).toHaveLength(1);
  });

  test('is not waited for longer than it may take', async () => {
    answers = [refuse, list];
    const listing = link.request('dataset.list', {});
    for (let i = 0; i < 5; i += 1) {
      await settle();
      await vi.advanceTimersByTimeAsync(1000);
    }
    await expect(listing).resolves.toMatchObject({ entries: [] });
    expect(host.opened).toBe(2);
  });

  test('is told as lost, once, when no next one answers', async () => {
    answers = [
      (request) => {
        host.onRequest = end;
        refuse(request);
        end();
      },
    ];
    await expect(link.request('dataset.list', {})).rejects.toMatchObject({ code: 'host.lost' });
    expect(link.status.state).toBe('lost');
    expect(lost).toHaveLength(1);
  });

  test('may refuse the greeting once', async () => {
    let hellos = 0;
    answers = [
      (request) => {
        refuse(request);
        end();
      },
    ];
    const before = host.onRequest;
    host.onRequest = (request) => {
      if (request.type === 'hello' && (hellos += 1) === 1) refuse(request);
      else if (request.type === 'dataset.list' && hellos > 0) list(request);
      else before(request);
    };
    await expect(link.request('dataset.list', {})).resolves.toMatchObject({ entries: [] });
    expect(hellos).toBe(2);
  });
});

describe('the desktop’s dialog', () => {
  const dialog = (): HostDialog => new HostDialog(link);
  const grant = (granted: string | null) => (request: HostMessage) => {
    if (request.type !== 'dialog.open') return;
    host.reply(request, { ok: true, granted, restart: granted !== null });
    if (granted !== null) end();
  };

  test('waits for a person without a limit, and is connected to the next host after', async () => {
    const shown = dialog();
    const open = shown.open('folder');
    await settle();
    expect(link.status.dialog).toBe('folder');
    expect(asked('dialog.open')[0]).toMatchObject({ kind: 'folder' });
    for (let seconds = 0; seconds < 60; seconds += 2) {
      await vi.advanceTimersByTimeAsync(2000);
      await settle();
    }
    await expect(shown.open('file')).rejects.toMatchObject({ code: 'dialog.busy' });
    grant('data')(asked('dialog.open')[0]!);
    await expect(open).resolves.toBe('data');
    expect(link.status).toMatchObject({ state: 'connected', dialog: null });
    expect([host.opened, lost.length, back]).toEqual([2, 0, 0]);
  });

  test('that is cancelled by the person changes nothing', async () => {
    answers = [grant(null)];
    await expect(dialog().open('file')).resolves.toBeNull();
    expect(host.opened).toBe(1);
    expect(link.status.dialog).toBeNull();
  });

  test('is closed by a request that names it', async () => {
    answers = [
      (request) => {
        if (request.type !== 'request.cancel') return;
        host.reply(request, { ok: true, cancelled: true });
        const [open] = asked('dialog.open');
        host.reply(open!, { ok: false, code: 'request.cancelled', message: 'It was cancelled.' });
      },
    ];
    const shown = dialog();
    const open = shown.open('folder');
    await settle();
    await shown.close();
    await expect(open).resolves.toBeNull();
    expect(asked('request.cancel')[0]).toMatchObject({ target: asked('dialog.open')[0]!.id });
    await shown.close();
    expect(asked('request.cancel')).toHaveLength(1);
  });

  test('that fails keeps the host’s sentence, and may be opened again', async () => {
    answers = [
      (request) => {
        const message = 'No file chooser can be shown here.';
        host.reply(request, { ok: false, code: 'dialog.unavailable', message });
      },
    ];
    const shown = dialog();
    const failure = { code: 'dialog.unavailable', message: 'No file chooser can be shown here.' };
    await expect(shown.open('folder')).rejects.toMatchObject(failure);
    expect(link.status.dialog).toBeNull();
    await expect(shown.open('folder')).rejects.toMatchObject(failure);
  });
});
