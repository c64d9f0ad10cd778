import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { STEPS_PER_EPOCH } from '../fake_core.ts';
import { HELLO } from './fake_host.ts';
import type { HostMessage } from './fake_host.ts';
import { config, example, Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.begun();
});
afterEach(() => {
  room.host.close();
});

describe('with a native host', () => {
  const stored = new Map<string, number>();

  const serve = (request: HostMessage): void => {
    const { host } = room;
    if (request.type === 'hello') host.reply(request, HELLO);
    else if (request.type === 'checkpoint.list') {
      const checkpoints = [...stored].map(([name, size]) => ({
        name,
        size,
        mtime: 5,
        ok: true,
        metadata: {},
      }));
      host.reply(request, {
        ok: true,
        checkpoints,
        cursor: null,
        folder: '/x',
      });
    } else if (request.type === 'run.list') {
      host.reply(request, { ok: true, runs: [], cursor: null });
    } else if (request.type === 'checkpoint.begin') {
      host.reply(request, { ok: true, handle: 1, window: 4 });
    } else if (request.type === 'checkpoint.write') {
      host.reply(request, { ok: true, handle: 1, received: 1 });
    } else if (request.type === 'checkpoint.commit') {
      const begin = host.requests.findLast(({ type }) => type === 'checkpoint.begin')!;
      stored.set(String(begin['name']), Number(begin['size']));
      host.reply(request, {
        ok: true,
        name: begin['name'],
        size: begin['size'],
        mtime: 5,
      });
    } else if (request.type === 'checkpoint.remove') {
      stored.delete(String(request['name']));
      host.reply(request, { ok: true, name: request['name'] });
    }
  };

  beforeEach(async () => {
    stored.clear();
    room.host.onRequest = serve;
    await room.do({ type: 'host.connect' });
    await room.do(example);
    await room.do({
      type: 'run.start',
      config: { ...config, training: { epochs: 100_000 } },
    });
  });

  test('checkpoints go to it', async () => {
    const entry = await room.do({ type: 'checkpoint.save' });
    expect(entry).toMatchObject({ store: 'host', ok: true });
    expect(stored.size).toBe(1);
    expect(room.checkpoints()).toEqual([]);
    await room.do({ type: 'run.stop' });
  });

  test('one that dies mid-run costs nothing: a notice, and the checkpoint goes to the browser', async () => {
    await room.until(({ progress }) => (progress?.step ?? 0) > STEPS_PER_EPOCH);
    room.host.onRequest = () => undefined;
    room.host.tell({
      type: 'relay.closed',
      end: 'exited',
      message: 'Native host has exited.',
    });
    const state = await room.until(
      ({ notices, lastRun }) => notices.length > 0 && lastRun !== null,
    );
    expect(state.notices[0]).toMatchObject({
      code: 'host.lost',
      message: expect.stringMatching(
        /The native host ended\..*Training goes on; checkpoints go to the browser/,
      ),
    });
    expect(state.host.state).toBe('lost');
    expect(state.lastRun?.checkpoint.store).toBe('browser');
    expect(room.checkpoints()).toHaveLength(1);
    await room.until(({ progress }) => (progress?.step ?? 0) > (state.progress?.step ?? 0));
    await room.do({ type: 'run.stop' });
  });

  test('one that comes back is said to be back', async () => {
    room.host.tell({
      type: 'relay.closed',
      end: 'exited',
      message: 'Native host has exited.',
    });
    await room.until(({ notices }) => notices.some(({ code }) => code === 'host.lost'));
    await room.do({ type: 'host.connect' });
    const { notices, host } = await room.until(() => true);
    expect(notices.map(({ code }) => code)).toEqual(['host.back']);
    expect(host.state).toBe('connected');
    await room.do({ type: 'run.stop' });
  });

  test('one that dies while saving is replaced by the browser, which is said', async () => {
    room.host.onRequest = (request) => {
      if (request.type !== 'checkpoint.write') {
        serve(request);
        return;
      }
      room.host.tell({ type: 'relay.closed', end: 'exited', message: '' });
    };
    const entry = await room.do({ type: 'checkpoint.save' });
    expect(entry).toMatchObject({ store: 'browser' });
    const { notices } = await room.until((state) => state.notices.length > 1);
    const moved = notices.find(({ code }) => code === 'checkpoint.moved');
    expect(moved?.message).toMatch(/was saved in the browser's storage instead/);
    expect(stored.size).toBe(0);
    room.noHost();
    await room.do({ type: 'run.stop' });
  });

  test('a full disk of the host is for the person to read, not to be worked around', async () => {
    room.host.onRequest = (request) => {
      if (request.type !== 'checkpoint.commit') {
        serve(request);
        return;
      }
      const fields = { path: '/x', free: 1, needed: 2 };
      room.host.reply(request, {
        ok: false,
        code: 'store.disk_full',
        message: 'No room in /x.',
        ...fields,
      });
    };
    const reply = await room.ask({ type: 'checkpoint.save' });
    expect(reply).toMatchObject({
      ok: false,
      code: 'store.disk_full',
      message: 'No room in /x.',
    });
    expect(room.checkpoints()).toEqual([]);
    room.host.onRequest = serve;
    await room.do({ type: 'run.stop' });
  });

  test('what a person asked for is another file than what was saved by itself', async () => {
    const asked = (await room.do({ type: 'checkpoint.save' })) as {
      id: string;
    };
    await room.do({ type: 'run.stop' });
    const { lastRun } = await room.finished();
    expect(new Set(stored.keys())).toEqual(new Set([asked.id, lastRun!.checkpoint.id]));
  });
});
