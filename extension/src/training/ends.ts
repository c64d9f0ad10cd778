// Lets others wait for the end of the run that is under way, when what it has reached is saved.
export class Ends {
  #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  readonly tell = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  };
}
