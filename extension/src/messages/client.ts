// A page's line to the training worker. A page may come at any moment and leave at any moment: connecting opens the
// training context when there is none, waits until its worker answers, and from then on keeps one merged RunState.
import { CHANNEL, checkReply } from './commands.ts';
import type { Command, CommandType, Results } from './commands.ts';
import { applyEvent, checkEvent } from './events.ts';
import type { RunState } from './state.ts';
import { isRecord } from './validate.ts';

export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface ClientOptions {
  /** Asks the background for the training context; browser.ts has it. */
  openTraining: () => Promise<unknown>;
  channel?: BroadcastChannel;
  /** A command fails after this long without a sign of life of the worker. */
  silenceMs?: number;
  /** While connecting: how long to wait for an answer before asking again, and how often. */
  retryMs?: number;
  retries?: number;
}

/** After this silence a command is sent again, in case the training context had ended; the worker knows its id. */
const AGAIN_MS = 2500;

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: CommandError) => void;
  type: CommandType;
  timer: ReturnType<typeof setTimeout>;
  again: ReturnType<typeof setTimeout>;
  silenceMs: number;
}

/** The command with its own fields: `call({type: 'run.start', config})`. */
type ResultOf<C extends Command> = Results[C['type']];

export class TrainingClient {
  readonly #channel: BroadcastChannel;
  readonly #silenceMs: number;
  readonly #openTraining: () => Promise<unknown>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<(state: RunState) => void>();
  #state: RunState | null = null;
  #refreshing = false;

  constructor(channel: BroadcastChannel, silenceMs: number, openTraining: () => Promise<unknown>) {
    this.#channel = channel;
    this.#silenceMs = silenceMs;
    this.#openTraining = openTraining;
    this.#channel.addEventListener('message', this.#receive);
  }

  /** The newest merged state, or null before the first answer. */
  get state(): RunState | null {
    return this.#state;
  }

  call<C extends Command>(command: C, silenceMs = this.#silenceMs): Promise<ResultOf<C>> {
    const id = crypto.randomUUID();
    return new Promise<ResultOf<C>>((resolve, reject) => {
      this.#waiting.set(id, {
        resolve: resolve as (result: unknown) => void,
        reject,
        type: command.type,
        silenceMs,
        timer: this.#startTimer(id, silenceMs),
        again: setTimeout(() => void this.#sendAgain(id, command), AGAIN_MS),
      });
      this.#channel.postMessage({ kind: 'request', id, command });
    });
  }

  /** Calls back at once with the known state and then at every change; returns how to end it. */
  onState(callback: (state: RunState) => void): () => void {
    this.#listeners.add(callback);
    if (this.#state !== null) callback(this.#state);
    return () => this.#listeners.delete(callback);
  }

  /** Asks for the whole state. */
  async refresh(silenceMs = this.#silenceMs): Promise<RunState> {
    const state = await this.call({ type: 'state.get' }, silenceMs);
    this.#publish(state);
    return state;
  }

  close(): void {
    this.#channel.removeEventListener('message', this.#receive);
    this.#channel.close();
    for (const id of [...this.#waiting.keys()]) {
      this.#settle(id)?.reject(
        new CommandError('client.closed', 'The page closed its line to the training.'),
      );
    }
  }

  readonly #receive = (message: MessageEvent<unknown>): void => {
    const reply = checkReply(message.data);
    if (reply !== null) {
      const waiting = this.#settle(reply.id);
      if (reply.ok) waiting?.resolve(reply.result);
      else waiting?.reject(new CommandError(reply.code, reply.message));
      return;
    }
    const event = checkEvent(message.data);
    if (event === null) return;
    for (const [id, waiting] of this.#waiting) {
      clearTimeout(waiting.timer);
      waiting.timer = this.#startTimer(id, waiting.silenceMs);
    }
    const next = applyEvent(this.#state, event);
    if (next !== null) this.#publish(next);
    else this.#refreshAfterGap();
  };

  async #sendAgain(id: string, command: Command): Promise<void> {
    try {
      await this.#openTraining();
      if (this.#waiting.has(id)) this.#channel.postMessage({ kind: 'request', id, command });
    } catch {
      // The command's own time limit tells the page.
    }
  }

  #refreshAfterGap(): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    this.refresh()
      .catch(() => undefined)
      .finally(() => {
        this.#refreshing = false;
      });
  }

  #publish(state: RunState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  #settle(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      clearTimeout(waiting.timer);
      clearTimeout(waiting.again);
    }
    this.#waiting.delete(id);
    return waiting;
  }

  #startTimer(id: string, silenceMs: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      const waiting = this.#settle(id);
      if (waiting === undefined) return;
      const seconds = String(Math.max(1, Math.round(waiting.silenceMs / 1000)));
      const message = `The training worker gave no answer to ${waiting.type} for ${seconds} s. Reopen this page; if it stays silent, reload the extension.`;
      waiting.reject(new CommandError('training.silent', message));
    }, silenceMs);
  }
}

/** Opens the training context and resolves when its worker has answered with its state. */
export async function connect(options: ClientOptions): Promise<TrainingClient> {
  const { openTraining, channel = new BroadcastChannel(CHANNEL) } = options;
  const { silenceMs = 30_000, retryMs = 1000, retries = 15 } = options;
  const client = new TrainingClient(channel, silenceMs, openTraining);
  let failure = new CommandError('training.silent', 'The training worker did not start.');
  for (let attempt = 0; attempt < retries; attempt += 1) {
    try {
      checkOpened(await openTraining());
      await client.refresh(retryMs);
      return client;
    } catch (error) {
      failure =
        error instanceof CommandError ? error : new CommandError('training.open', String(error));
      if (failure.code !== 'training.silent') await pause(Math.min(retryMs, 250));
    }
  }
  client.close();
  throw failure;
}

function checkOpened(answer: unknown): void {
  if (!isRecord(answer) || answer['ok'] !== false) return;
  throw new CommandError(String(answer['code']), String(answer['message']));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
