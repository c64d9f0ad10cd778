// The requests to the native host that have no reply yet, each with its time limit. A request that tells how far it is has
// its time anew with every word.
import type { HostReply, HostRequestType, importProgress } from '../messages/host.ts';
import type { Checked } from '../messages/validate.ts';
import { HostError } from './host_errors.ts';

/** What a long request tells until its reply. */
export type Done = Checked<typeof importProgress>;

export interface Asked<T extends HostRequestType> {
  type: T;
  resolve: (reply: HostReply<T>) => void;
  reject: (error: HostError) => void;
  /** Null: it waits for a person. */
  limitMs: number | null;
  progress: ((done: Done) => void) | undefined;
}

interface Pending extends Omit<Asked<HostRequestType>, 'resolve'> {
  resolve: (reply: never) => void;
  timer: ReturnType<typeof setTimeout> | null;
}

export class HostAsked {
  readonly #pending = new Map<number, Pending>();

  get ids(): number[] {
    return [...this.#pending.keys()];
  }

  add<T extends HostRequestType>(id: number, asked: Asked<T>): void {
    const { type, limitMs } = asked;
    this.#pending.set(id, { ...asked, timer: this.#startTimer(id, type, limitMs) });
  }

  get(id: number): Pending | undefined {
    return this.#pending.get(id);
  }

  /** It has its answer, or never will. */
  settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending?.timer != null) clearTimeout(pending.timer);
    this.#pending.delete(id);
    return pending;
  }

  heard(done: Done): void {
    const pending = this.#pending.get(done.id);
    if (pending === undefined) return;
    if (pending.timer !== null) clearTimeout(pending.timer);
    pending.timer = this.#startTimer(done.id, pending.type, pending.limitMs);
    pending.progress?.(done);
  }

  #startTimer(id: number, type: HostRequestType, limitMs: number | null): Pending['timer'] {
    if (limitMs === null) return null;
    return setTimeout(() => {
      const message = `The native host gave no answer to ${type} for ${String(limitMs / 1000)} s.`;
      this.settle(id)?.reject(new HostError('host.silent', message));
    }, limitMs);
  }
}
