// A page's line to the worker: errors become notices, commands under way are known, drawing is bounded.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError } from '../../../extension/src/messages/client.ts';
import type { TrainingClient } from '../../../extension/src/messages/client.ts';
import type { Command } from '../../../extension/src/messages/commands.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { Page } from '../../../extension/src/ui/page.ts';
import type { Snapshot } from '../../../extension/src/ui/page.ts';
import { stateOf } from './states.ts';

class FakeClient {
  state: RunState = stateOf('training');
  readonly commands: Command[] = [];
  answer: () => Promise<unknown> = () => Promise.resolve({});
  changed: () => void = () => undefined;

  call(command: Command): Promise<unknown> {
    this.commands.push(command);
    return this.answer();
  }

  onState(callback: () => void): () => void {
    this.changed = callback;
    return callback;
  }
}

let client: FakeClient;
let drawn: Snapshot[];

async function open(): Promise<Page> {
  const page = new Page(
    () => Promise.resolve(client as unknown as TrainingClient),
    (snapshot) => drawn.push(snapshot),
  );
  await vi.advanceTimersByTimeAsync(200);
  return page;
}

const last = (): Snapshot => drawn.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  client = new FakeClient();
  drawn = [];
});

afterEach(() => {
  vi.useRealTimers();
});

describe('Page', () => {
  it('shows the state that the worker has when the page comes', async () => {
    await open();
    expect(last().connection).toBe('connected');
    expect(last().state?.phase).toBe('training');
  });

  it('draws a burst of changes a few times only, and the newest at last', async () => {
    await open();
    const before = drawn.length;
    for (let step = 1; step <= 100; step += 1) {
      client.state = { ...client.state, revision: step };
      client.changed();
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(drawn.length - before).toBeLessThanOrEqual(4);
    expect(last().state?.revision).toBe(100);
  });

  it('turns a refusal into a notice and answers null', async () => {
    const page = await open();
    client.answer = () => Promise.reject(new CommandError('run.active', 'A run is in progress.'));
    expect(await page.run({ type: 'run.pause' })).toBeNull();
    await vi.advanceTimersByTimeAsync(100);
    expect(last().notices).toMatchObject([
      { level: 'error', code: 'run.active', message: 'A run is in progress.' },
    ]);
    page.dismiss(last().notices[0]!);
    await vi.advanceTimersByTimeAsync(100);
    expect(last().notices).toEqual([]);
    expect(client.commands.map(({ type }) => type)).toEqual(['run.pause']);
  });

  it('forgets a refusal once the same is tried again, and no other', async () => {
    const page = await open();
    client.answer = () => Promise.reject(new CommandError('config.bad_field', 'Too short.'));
    const config = client.state.config!;
    await page.run({ type: 'run.start', config });
    client.answer = () => Promise.reject(new CommandError('store.disk_full', 'Full.'));
    await page.run({ type: 'checkpoint.save' });
    client.answer = () => Promise.resolve({});
    await page.run({ type: 'run.start', config });
    await vi.advanceTimersByTimeAsync(100);
    expect(last().notices.map(({ code }) => code)).toEqual(['store.disk_full']);
  });

  it('has the worker forget its own notice when it is put away', async () => {
    const notice = { level: 'warning' as const, code: 'host.lost', message: 'Gone.', time: 1 };
    client.state = stateOf('training', { notices: [notice] });
    const page = await open();
    page.dismiss(notice);
    expect(client.commands).toEqual([{ type: 'notice.dismiss', code: 'host.lost' }]);
  });

  it('knows which commands are under way', async () => {
    const page = await open();
    let done: (result: unknown) => void = () => undefined;
    client.answer = () =>
      new Promise((resolve) => {
        done = resolve;
      });
    const saving = page.run({ type: 'checkpoint.save' });
    await vi.advanceTimersByTimeAsync(100);
    expect([...last().busy]).toEqual(['checkpoint.save']);
    done({});
    await saving;
    await vi.advanceTimersByTimeAsync(100);
    expect([...last().busy]).toEqual([]);
  });

  it('lets good news go by itself and errors stay', async () => {
    const page = await open();
    page.tell({ level: 'info', code: 'checkpoint.saved', message: 'Saved.' });
    page.tell({ level: 'error', code: 'store.disk_full', message: 'The disk is full.' });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(last().notices.map(({ code }) => code)).toEqual(['store.disk_full']);
  });

  it('says why it cannot reach the worker and can try again', async () => {
    let attempts = 0;
    const page = new Page(
      () => {
        attempts += 1;
        if (attempts > 1) return Promise.resolve(client as unknown as TrainingClient);
        return Promise.reject(new CommandError('training.silent', 'The worker did not start.'));
      },
      (snapshot) => drawn.push(snapshot),
    );
    await vi.advanceTimersByTimeAsync(200);
    expect(last()).toMatchObject({ connection: 'failed', state: null });
    expect(last().notices[0]?.message).toBe('The worker did not start.');
    page.reconnect();
    await vi.advanceTimersByTimeAsync(200);
    expect(last().connection).toBe('connected');
    expect(last().notices).toEqual([]);
  });
});
