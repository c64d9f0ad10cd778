// The first predictions of a run, which pages show while it learns: at most once a second, and at its end.
import type { ActiveRun } from './active_run.ts';
import type { Snapshot } from './snapshot.ts';

const EVERY_MS = 1000;
const MOST = 300;

export class ShownPredictions {
  readonly #snapshot: Snapshot;
  readonly #current: () => ActiveRun | null;
  #at = 0;

  constructor(snapshot: Snapshot, current: () => ActiveRun | null) {
    this.#snapshot = snapshot;
    this.#current = current;
  }

  get due(): boolean {
    return Date.now() - this.#at >= EVERY_MS;
  }

  async refresh(run: ActiveRun): Promise<void> {
    const total = this.#snapshot.state.windows?.validation ?? 0;
    if (total === 0) return;
    this.#at = Date.now();
    const predictions = await run.predict(0, Math.min(MOST, total));
    if (this.#current() === run) this.#snapshot.updateSoon({ predictions });
  }
}
