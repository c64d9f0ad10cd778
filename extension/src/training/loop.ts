// Drives training in the worker. Each turn is a task of its own, started by a message to itself: commands are answered
// between turns, and nothing waits for timers or animation frames, which stop in hidden and offscreen documents.

export class Loop {
  readonly #channel = new MessageChannel();
  readonly #turn: () => boolean;
  #running = false;
  #posted = false;

  /** `turn` does a few milliseconds of work and says whether there is more. */
  constructor(turn: () => boolean) {
    this.#turn = turn;
    this.#channel.port1.onmessage = () => {
      this.#posted = false;
      if (!this.#running) return;
      this.#running = this.#turn();
      if (this.#running) this.#post();
    };
  }

  start(): void {
    this.#running = true;
    this.#post();
  }

  stop(): void {
    this.#running = false;
  }

  close(): void {
    this.#running = false;
    this.#channel.port1.close();
  }

  #post(): void {
    if (this.#posted) return;
    this.#posted = true;
    this.#channel.port2.postMessage(null);
  }
}

const REST_MS = 0.25;
// Never rung: whoever waits for it sleeps. Without shared memory (Firefox) a turn of the loop takes milliseconds anyway.
const bell =
  typeof SharedArrayBuffer === 'undefined' ? null : new Int32Array(new SharedArrayBuffer(4));

/** Sleeps for a moment, in a worker, where a GPU has all that it may have at once: asking again at once would keep a
 * whole processor busy. */
export function rest(): void {
  if (bell !== null) Atomics.wait(bell, 0, 0, REST_MS);
}

const TARGET_MS = 12;
const MOST_STEPS = 2000;

/** How many steps make a turn of about 12 ms. */
export class Pace {
  #steps = 1;

  get steps(): number {
    return this.#steps;
  }

  took(steps: number, ms: number): void {
    if (steps === 0) return;
    const fitting = ms > 0 ? (this.#steps * TARGET_MS) / ms : MOST_STEPS;
    // One quick turn must not make the next one long.
    this.#steps = Math.min(MOST_STEPS, Math.max(1, Math.floor(Math.min(fitting, this.#steps * 2))));
  }
}

const HALF_LIFE_MS = 1000;

/** Steps a second of the last seconds. */
export class SpeedMeter {
  #steps = 0;
  #ms = 0;

  get perSecond(): number | null {
    return this.#ms > 0 && this.#steps > 0 ? (1000 * this.#steps) / this.#ms : null;
  }

  add(steps: number, ms: number): void {
    const kept = 0.5 ** (ms / HALF_LIFE_MS);
    this.#steps = this.#steps * kept + steps;
    this.#ms = this.#ms * kept + ms;
  }
}
