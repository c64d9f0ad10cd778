// Drives training in the worker. Each turn is a task of its own, started by a message to itself: commands are answered
// between turns, and no work waits for timers or animation frames, which stop in hidden and offscreen documents. Only a
// rest is a timer: when it lasts longer, so does the rest.

export class Loop {
  readonly #channel = new MessageChannel();
  readonly #turn: () => number | null;
  #running = false;
  #posted = false;
  #resting: ReturnType<typeof setTimeout> | undefined;

  /** `turn` does a few milliseconds of work and says after how many of rest there is more; null: there is none. */
  constructor(turn: () => number | null) {
    this.#turn = turn;
    this.#channel.port1.onmessage = () => {
      this.#posted = false;
      if (!this.#running) return;
      const rest = this.#turn();
      this.#running = rest !== null;
      if (rest === 0) this.#post();
      else if (rest !== null) this.#rest(rest);
    };
  }

  /** Begins, or ends a rest. */
  start(): void {
    this.#running = true;
    this.#post();
  }

  close(): void {
    this.#running = false;
    clearTimeout(this.#resting);
    this.#channel.port1.close();
  }

  #rest(ms: number): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#post();
    }, ms);
  }

  #post(): void {
    clearTimeout(this.#resting);
    if (this.#posted) return;
    this.#posted = true;
    this.#channel.port2.postMessage(null);
  }
}

/** Goes on in a task of its own: messages that wait are answered first. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
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

  /**
   * `steps` were made, which may be fewer than were asked for: a GPU takes a few at once. Where the end of the epoch
   * `cut` the turn short, it says nothing of how many the device would have taken.
   */
  took(steps: number, ms: number, cut: boolean): void {
    if (steps <= 0) return;
    const fitting = ms > 0 ? (steps * TARGET_MS) / ms : MOST_STEPS;
    // One quick turn must not make the next one long, nor may more be asked for than a slower device could make.
    const most = 2 * (cut ? this.#steps : steps);
    this.#steps = Math.min(MOST_STEPS, Math.max(1, Math.floor(Math.min(fitting, most))));
  }
}

/** Leaves others their share of the time: so much work, then a rest in which nothing is on the device either. */
export class Rests {
  /** Share of the time that is worked in. */
  duty = 1;
  #since: number | null = null;

  /** Work goes on, or begins. */
  working(now: number): void {
    this.#since ??= now;
  }

  /** Time to give the device nothing more, and to rest when it is done. */
  due(now: number): boolean {
    return this.duty < 1 && this.#since !== null && now - this.#since >= TARGET_MS;
  }

  /** Milliseconds that make up for the work since the last rest. */
  take(now: number): number {
    const worked = this.#since === null ? 0 : now - this.#since;
    this.#since = null;
    return worked * (1 / this.duty - 1);
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
