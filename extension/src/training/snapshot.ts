// Keeps the RunState and tells pages of it. What a person did shows at once; what training changes by itself is
// gathered, at most four whole states and ten increments a second, so that telling never slows training.
import type { TrainingEvent } from '../messages/events.ts';
import { addNotice, appendLosses, emptyState } from '../messages/state.ts';
import type { Notice, NoticeLevel, Progress, RunState } from '../messages/state.ts';

const WHOLE_MS = 250;
const PROGRESS_MS = 100;

export type RunStatePatch = Partial<Omit<RunState, 'revision' | 'notices'>>;

export class Snapshot {
  readonly #post: (event: TrainingEvent) => void;
  readonly #state: RunState = emptyState();
  #losses: [number, number][] = [];
  #dirty = false;
  #wholeAt = 0;
  #progressAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(post: (event: TrainingEvent) => void) {
    this.#post = post;
  }

  get state(): Readonly<RunState> {
    return this.#state;
  }

  /** Changes that a page must see now. */
  update(patch: RunStatePatch): void {
    Object.assign(this.#state, patch);
    this.#postWhole();
  }

  /** Changes that may wait for a moment. */
  updateSoon(patch: RunStatePatch): void {
    Object.assign(this.#state, patch);
    this.#dirty = true;
    const wait = this.#wholeAt + WHOLE_MS - Date.now();
    if (wait <= 0) this.#postWhole();
    else
      this.#timer ??= setTimeout(() => {
        this.flush();
      }, wait);
  }

  progress(progress: Progress, losses: [number, number][]): void {
    appendLosses(this.#state.history, losses);
    this.#state.progress = progress;
    this.#losses.push(...losses);
    const now = Date.now();
    if (now - this.#progressAt >= PROGRESS_MS) this.#postProgress(now);
  }

  notice(level: NoticeLevel, code: string, message: string): void {
    const notice: Notice = { level, code, message, time: Date.now() };
    this.#state.notices = addNotice(this.#state.notices, notice);
    this.#post({ kind: 'event', type: 'notice', revision: this.#next(), notice });
  }

  dismiss(code: string): void {
    this.#state.notices = this.#state.notices.filter((notice) => notice.code !== code);
    this.#postWhole();
  }

  /** Sends what was gathered, so that the state may be handed out as it is. */
  flush(): void {
    if (this.#dirty) this.#postWhole();
    else if (this.#losses.length > 0) this.#postProgress(Date.now());
  }

  #postWhole(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#dirty = false;
    this.#losses = [];
    this.#wholeAt = Date.now();
    const revision = this.#next();
    this.#post({ kind: 'event', type: 'state', revision, state: this.#state });
  }

  #postProgress(now: number): void {
    const { progress } = this.#state;
    if (progress === null) return;
    this.#progressAt = now;
    const losses = this.#losses;
    this.#losses = [];
    this.#post({ kind: 'event', type: 'train.progress', revision: this.#next(), progress, losses });
  }

  #next(): number {
    this.#state.revision += 1;
    return this.#state.revision;
  }
}
