import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from '../../../extension/src/messages/client.ts';
import { emptyState } from '../../../extension/src/messages/state.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';

interface Sent {
  kind: string;
  id: string;
  command: { type: string };
}

/** The worker's side of the channel, in the same thread. */
class FakeChannel extends EventTarget {
  readonly sent: Sent[] = [];
  answer: (request: Sent) => void = () => undefined;
  closed = false;

  postMessage(message: Sent): void {
    this.sent.push(message);
    queueMicrotask(() => {
      this.answer(message);
    });
  }

  deliver(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  close(): void {
    this.closed = true;
  }
}

const opened = { ok: true };
let channel: FakeChannel;
const asChannel = (): BroadcastChannel => channel as unknown as BroadcastChannel;

const answerState = ({ id, command }: Sent): void => {
  if (command.type === 'state.get')
    channel.deliver({ kind: 'reply', id, ok: true, result: emptyState() });
};

beforeEach(() => {
  vi.useFakeTimers();
  channel = new FakeChannel();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('connecting', () => {
  test('asks for the training context and resolves with the first state', async () => {
    channel.answer = answerState;
    const openTraining = vi.fn(async () => opened);
    const client = await connect({ openTraining, channel: asChannel() });
    expect(openTraining).toHaveBeenCalledOnce();
    expect(client.state?.phase).toBe('empty');
  });

  test('tries again while the worker is not there yet', async () => {
    let attempts = 0;
    const openTraining = async (): Promise<unknown> => {
      attempts += 1;
      if (attempts < 3) throw new Error('Could not establish connection.');
      channel.answer = answerState;
      return opened;
    };
    const connecting = connect({ openTraining, channel: asChannel() });
    await vi.runAllTimersAsync();
    await expect(connecting).resolves.toBeDefined();
    expect(attempts).toBe(3);
  });

  test('gives up with what the background said', async () => {
    const refused = {
      ok: false,
      code: 'training.worker',
      message: 'The training worker did not start.',
    };
    const connecting = connect({
      openTraining: async () => refused,
      channel: asChannel(),
      retries: 2,
    });
    const outcome = expect(connecting).rejects.toMatchObject({
      code: 'training.worker',
    });
    await vi.runAllTimersAsync();
    await outcome;
    expect(channel.closed).toBe(true);
  });
});

describe('a connected client', () => {
  const connected = async (): ReturnType<typeof connect> => {
    channel.answer = answerState;
    return connect({
      openTraining: async () => opened,
      channel: asChannel(),
      silenceMs: 5000,
    });
  };

  test('rejects a command with the worker’s code and sentence', async () => {
    const client = await connected();
    channel.answer = ({ id }) => {
      channel.deliver({
        kind: 'reply',
        id,
        ok: false,
        code: 'run.active',
        message: 'A run is in progress.',
      });
    };
    const call = client.call({ type: 'run.pause' });
    await expect(call).rejects.toMatchObject({
      code: 'run.active',
      message: 'A run is in progress.',
    });
  });

  test('names the silence of the worker, after having sent the same request once more', async () => {
    const client = await connected();
    channel.answer = () => undefined;
    const call = client.call({ type: 'run.pause' });
    const outcome = expect(call).rejects.toMatchObject({
      code: 'training.silent',
    });
    await vi.advanceTimersByTimeAsync(6000);
    await outcome;
    const requests = channel.sent.filter(({ command }) => command.type === 'run.pause');
    expect(requests).toHaveLength(2);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(1);
  });

  test('waits on while the worker shows signs of life', async () => {
    const client = await connected();
    channel.answer = () => undefined;
    const settled = vi.fn();
    client.call({ type: 'run.stop' }).then(settled, settled);
    for (let revision = 1; revision < 10; revision += 1) {
      await vi.advanceTimersByTimeAsync(4000);
      const state: RunState = { ...emptyState(), revision };
      channel.deliver({ kind: 'event', type: 'state', revision, state });
    }
    expect(settled).not.toHaveBeenCalled();
  });

  test('asks for the whole state after a gap, once', async () => {
    const client = await connected();
    const seen: number[] = [];
    client.onState(({ revision }) => seen.push(revision));
    channel.answer = ({ id }) => {
      channel.deliver({
        kind: 'reply',
        id,
        ok: true,
        result: { ...emptyState(), revision: 9 },
      });
    };
    const before = channel.sent.length;
    const notice = { level: 'info', code: 'a', message: 'm', time: 0 };
    channel.deliver({ kind: 'event', type: 'notice', revision: 8, notice });
    channel.deliver({ kind: 'event', type: 'notice', revision: 9, notice });
    await vi.advanceTimersByTimeAsync(10);
    expect(channel.sent.length - before).toBe(1);
    expect(seen.at(-1)).toBe(9);
  });

  test('closing fails what is open', async () => {
    const client = await connected();
    channel.answer = () => undefined;
    const call = client.call({ type: 'run.pause' });
    client.close();
    await expect(call).rejects.toMatchObject({ code: 'client.closed' });
  });
});
