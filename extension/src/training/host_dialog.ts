// The desktop's own file chooser, shown by the native host: one at a time, open as long as the person likes. What was
// picked is granted by the host itself, which then starts anew; here the line to the next one is awaited.
import type { DialogKind } from '../messages/host.ts';
import { TrainingError } from './errors.ts';
import { HostError } from './host_errors.ts';
import type { HostLink } from './hostlink.ts';

export class HostDialog {
  readonly #link: HostLink;
  /** The request that waits for the person. */
  #id: number | null = null;
  #open = false;

  constructor(link: HostLink) {
    this.#link = link;
  }

  /** The name of what the person let the host read, or null when nothing was picked or the dialog was closed. */
  async open(kind: DialogKind): Promise<string | null> {
    if (this.#open) {
      const message = 'The dialog is open already: pick there, or cancel it.';
      throw new TrainingError('dialog.busy', message);
    }
    this.#open = true;
    this.#link.showDialog(kind);
    try {
      const { granted } = await this.#link.request('dialog.open', { kind }, null, (id) => {
        this.#id = id;
      });
      if (granted !== null) await this.#link.connect();
      return granted;
    } catch (error) {
      if (error instanceof HostError && error.code === 'request.cancelled') return null;
      throw error;
    } finally {
      this.#open = false;
      this.#id = null;
      this.#link.showDialog(null);
    }
  }

  /** Takes the dialog off the screen; whoever opened it hears that nothing was picked. */
  async close(): Promise<void> {
    if (this.#id !== null) await this.#link.request('request.cancel', { target: this.#id });
  }
}
