// What popup and dashboard have in common: the line to the training worker, the errors of this page's own commands
// beside the worker's notices, which commands are under way, and redrawing at most every 60 ms. Timers and not
// animation frames redraw, so that a page in a hidden tab is up to date when it is looked at.

import { CommandError } from '../messages/client.ts';
import type { TrainingClient } from '../messages/client.ts';
import type { Command, CommandType, Results } from '../messages/commands.ts';
import type { Notice, RunState } from '../messages/state.ts';
import { inPersonsWords } from './described.ts';
import { t } from '../texts.ts';

export type Connection = 'connecting' | 'connected' | 'failed';

export interface Snapshot {
  connection: Connection;
  state: RunState | null;
  notices: Notice[];
  busy: ReadonlySet<CommandType>;
}

/** A notice of the page itself, and the command whose refusal it is. */
type OwnNotice = Notice & { from?: CommandType };

/** What the parts of a page may do. */
export interface Actions {
  /** Sends a command; an error becomes a notice and the answer null. */
  run<C extends Command>(command: C): Promise<Results[C['type']] | null>;
  /** Sends a question whose failure the asker shows itself. */
  ask<C extends Command>(command: C): Promise<Results[C['type']]>;
  /** Adds a notice of this page's own. */
  tell(notice: Omit<Notice, 'time'>): void;
  dismiss(notice: Notice): void;
  reconnect(): void;
}

const redrawEvery = 60;
/** Milliseconds until a notice that needs no answer goes away by itself. */
const goodNewsStays = 10_000;
/** Failures that the person asked for. */
const wanted = new Set(['dataset.cancelled', 'run.cancelled']);
/** Reading a large file or packing a checkpoint may take longer than the client's usual patience. */
const longSilence: Partial<Record<CommandType, number>> = {
  'dataset.open': 300_000,
  'import.makeRoom': 300_000,
  'checkpoint.resume': 300_000,
  'checkpoint.save': 120_000,
  'checkpoint.fetch': 300_000,
  'predictions.get': 120_000,
  'evaluation.get': 600_000,
  'predictions.make': 600_000,
  // A person takes the time that they take.
  'dialog.open': 86_400_000,
};

export class Page implements Actions {
  readonly #connect: () => Promise<TrainingClient>;
  readonly #draw: (snapshot: Snapshot) => void;
  readonly #busy = new Map<CommandType, number>();
  #own: OwnNotice[] = [];
  #dismissed: string | null = null;
  #client: TrainingClient | null = null;
  #connection: Connection = 'connecting';
  #drawn = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(connect: () => Promise<TrainingClient>, draw: (snapshot: Snapshot) => void) {
    this.#connect = connect;
    this.#draw = draw;
    this.reconnect();
  }

  reconnect(): void {
    this.#connection = 'connecting';
    this.#own = [];
    this.#schedule();
    this.#connect().then(
      (client) => {
        this.#client = client;
        this.#connection = 'connected';
        client.onState(() => {
          this.#schedule();
        });
        this.#schedule();
      },
      (error: unknown) => {
        this.#connection = 'failed';
        this.tell({ level: 'error', ...reasonOf(error) });
      },
    );
  }

  async run<C extends Command>(command: C): Promise<Results[C['type']] | null> {
    const { type } = command;
    if (this.#client === null) return null;
    this.#count(type, 1);
    // A new try makes the refusal of the last one old news.
    this.#own = this.#own.filter(({ code, from }) => code !== 'training.silent' && from !== type);
    try {
      return await this.ask(command);
    } catch (error) {
      const reason = reasonOf(error);
      if (!wanted.has(reason.code)) this.tell({ level: 'error', ...reason, from: type });
      return null;
    } finally {
      this.#count(type, -1);
    }
  }

  ask<C extends Command>(command: C): Promise<Results[C['type']]> {
    if (this.#client !== null) return this.#client.call(command, longSilence[command.type]);
    return Promise.reject(new CommandError('training.silent', t('notice_training_silent')));
  }

  tell(notice: Omit<OwnNotice, 'time'>): void {
    const others = this.#own.filter(({ code }) => code !== notice.code);
    const told = { ...notice, time: Date.now() };
    this.#own = [...others, told].slice(-5);
    if (notice.level === 'info')
      setTimeout(() => {
        this.#forget(told);
      }, goodNewsStays);
    this.#schedule();
  }

  dismiss(notice: Notice): void {
    this.#own = this.#own.filter(({ message }) => message !== notice.message);
    this.#dismissed = notice.message;
    const { code } = notice;
    if (this.#client?.state?.notices.some((other) => other.code === code) === true) {
      void this.run({ type: 'notice.dismiss', code });
    }
    this.#schedule();
  }

  #forget(notice: Notice): void {
    this.#own = this.#own.filter((other) => other !== notice);
    this.#schedule();
  }

  #count(type: CommandType, change: number): void {
    const count = (this.#busy.get(type) ?? 0) + change;
    if (count > 0) this.#busy.set(type, count);
    else this.#busy.delete(type);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#drawn + redrawEvery - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#drawn = performance.now();
      this.#draw(this.#snapshot());
    }, wait);
  }

  #snapshot(): Snapshot {
    const whole = this.#client?.state ?? null;
    const state = whole === null ? null : inPersonsWords(whole);
    if (state?.failure == null) this.#dismissed = null;
    const notices = mergeNotices(state, this.#own, this.#dismissed);
    return { connection: this.#connection, state, notices, busy: new Set(this.#busy.keys()) };
  }
}

/**
 * The worker's notices, its failure and this page's own errors: each message once, the newest last. A failure that
 * was put away stays away.
 */
export function mergeNotices(
  state: RunState | null,
  own: readonly Notice[],
  dismissed: string | null = null,
): Notice[] {
  const merged = [...(state?.notices ?? [])];
  const add = (notice: Notice): void => {
    if (!merged.some(({ message }) => message === notice.message)) merged.push(notice);
  };
  if (
    state?.failure != null &&
    !wanted.has(state.failure.code) &&
    state.failure.message !== dismissed
  )
    add({ level: 'error', time: 0, ...state.failure });
  own.forEach(add);
  return merged;
}

export function reasonOf(error: unknown): { code: string; message: string } {
  if (error instanceof CommandError) return { code: error.code, message: error.message };
  return { code: 'page.error', message: error instanceof Error ? error.message : String(error) };
}
