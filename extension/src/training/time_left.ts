// How long a run will still take, from what its steps have taken so far, validation and all. The mean over the whole
// stretch is steady where that of the last seconds would swing; time in which the machine slept is left out.

/** Longer than this and many times the rule: nothing was working. */
const ASLEEP_MS = 60_000;
const TIMES = 10;

export class TimeLeft {
  #ms = 0;
  #steps = 0;
  #longest = 0;
  #at = 0;
  #step = 0;

  /** Begins, or goes on after a pause. */
  begin(now: number, step: number): void {
    this.#at = now;
    this.#step = step;
  }

  /** The run works and has come to this step. */
  note(now: number, step: number): void {
    const ms = now - this.#at;
    const asleep = ms > ASLEEP_MS && ms > TIMES * this.#longest && this.#steps > 0;
    // A device that was lost takes steps back, which are then made again.
    this.#steps = Math.max(0, this.#steps + step - this.#step);
    if (!asleep) {
      this.#ms += ms;
      this.#longest = Math.max(this.#longest, ms);
    }
    this.begin(now, step);
  }

  /** Null until a step was made. */
  seconds(steps: number): number | null {
    return this.#steps > 0 ? (steps * this.#ms) / this.#steps / 1000 : null;
  }
}
