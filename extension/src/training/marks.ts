// Tells the background how the run stands, from what the worker posts to pages anyway: at once where a person would
// look up, else rarely. While the run works that is also the sign that it still does: without it for a while, the
// background no longer keeps the machine awake.
import type { TrainingEvent } from '../messages/events.ts';
import { searchOfRun } from '../messages/search.ts';
import { kindOf, markOf } from '../messages/run_mark.ts';
import type { MarkKind, MarkNews, RunMark } from '../messages/run_mark.ts';
import { isActive } from '../messages/state.ts';
import type { RunState } from '../messages/state.ts';

const EVERY_MS = 10_000;
const NOTHING = { code: '', message: '' };

export class Marks {
  readonly #post: (mark: RunMark) => void;
  #kind: MarkKind | null = null;
  #run: string | null = null;
  #at = -Infinity;

  constructor(post: (mark: RunMark) => void) {
    this.#post = post;
  }

  /** An event goes out, and `state` is what it leads to. */
  see(event: TrainingEvent, state: RunState): void {
    const kind = kindOf(state);
    const news = this.#news(event, kind, state);
    const changed = kind !== this.#kind || state.run !== this.#run;
    const now = Date.now();
    const due = (kind === 'training' || kind === 'preparing') && now - this.#at >= EVERY_MS;
    if (!changed && !due && news === null) return;
    this.#kind = kind;
    this.#run = state.run;
    this.#at = now;
    this.#post(markOf(state, news));
  }

  #news(event: TrainingEvent, kind: MarkKind, state: RunState): MarkNews | null {
    if (event.type === 'notice') {
      const { level, code, message } = event.notice;
      const trouble = level === 'error' && isActive(state.phase);
      return trouble ? { what: 'trouble', code, message } : null;
    }
    const wasUnderWay = this.#kind === 'training' || this.#kind === 'preparing';
    if (!wasUnderWay && this.#kind !== 'paused') return null;
    const search = searchOfRun(state);
    const failure = search === null ? state.failure : search.failure;
    if (kind === 'failed') return { what: 'failed', ...(failure ?? NOTHING) };
    if (kind !== 'done') return null;
    return { what: search === null ? 'done' : 'searched', ...NOTHING };
  }
}
