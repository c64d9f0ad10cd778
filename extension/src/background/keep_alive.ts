// Calls something that counts as activity, more often than the browser's 30 s of idleness, while it is on.

const EVERY_MS = 20_000;

export class KeepAlive {
  readonly #touch: () => Promise<void>;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(touch: () => Promise<void>) {
    this.#touch = touch;
  }

  set(on: boolean): void {
    if (on === (this.#timer !== null)) return;
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    const touch = (): void => {
      void this.#touch().catch(() => undefined);
    };
    touch();
    this.#timer = setInterval(touch, EVERY_MS);
  }
}
