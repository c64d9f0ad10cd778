// Adding to what the native host may read: the desktop's own dialog asks for a folder or a file, and what the person
// picks there is all that is added. The dialog may stand open for as long as the person likes, and every page that is
// open meanwhile says so and can take it off the screen.
import type { DialogKind } from '../messages/host.ts';
import type { HostStatus } from '../messages/host_status.ts';
import { make, on, setHidden, setText } from './dom.ts';
import { reasonOf } from './page.ts';
import type { Actions } from './page.ts';
import { once, testIds } from './testids.ts';

const command = 'shadegrad-host grant DIR';
/** Where no dialog can be shown, a terminal still grants; an older host knows no dialog at all. */
const byCommand = new Set(['dialog.unavailable', 'message.unknown']);

export class HostDialogPanel {
  readonly #actions: Actions;
  readonly #granted: (name: string) => void;
  readonly #folder = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.dialogFolder) },
    'Add a folder…',
  );
  readonly #file = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.dialogFile) },
    'Add a file…',
  );
  readonly #cancel = make(
    'button',
    { type: 'button', ...once(testIds.dialogCancel) },
    'Close the dialog',
  );
  readonly #text = make('span');
  readonly #command = make('code', { hidden: true }, command);
  readonly #said = make(
    'p',
    { class: 'small', role: 'status', ...once(testIds.dialogState) },
    this.#text,
    ' ',
    this.#command,
  );
  readonly #buttons = make('div', { class: 'row' }, this.#folder, this.#file);
  readonly #waiting = make('div', { class: 'row', hidden: true }, this.#cancel);
  readonly element = make('div', { class: 'stack' }, this.#buttons, this.#said, this.#waiting);
  #dialog: DialogKind | null = null;
  /** What the worker said last, which is older than what this page's own request says. */
  #seen: DialogKind | null = null;
  #asking = false;

  /** `granted` hears the name of what was added. */
  constructor(actions: Actions, granted: (name: string) => void) {
    this.#actions = actions;
    this.#granted = granted;
    on(this.#folder, 'click', () => void this.#ask('folder', this.#folder));
    on(this.#file, 'click', () => void this.#ask('file', this.#file));
    on(this.#cancel, 'click', () => void actions.run({ type: 'dialog.close' }));
    this.#say('');
  }

  update({ state, dialog }: HostStatus): void {
    setHidden(this.element, state !== 'connected' && dialog === null);
    if (dialog === this.#seen) return;
    this.#seen = dialog;
    if (!this.#asking && dialog !== this.#dialog) this.#become(dialog);
  }

  async #ask(kind: DialogKind, from: HTMLElement): Promise<void> {
    this.#asking = true;
    this.#become(kind);
    this.#cancel.focus();
    try {
      const { granted } = await this.#actions.ask({ type: 'dialog.open', kind });
      this.#end(from);
      if (granted === null) {
        this.#say('Nothing was added.');
      } else {
        this.#say(`Shadegrad may now read the ${kind} “${granted}”, and nothing beside it.`);
        this.#granted(granted);
      }
    } catch (error) {
      this.#end(from);
      const { code, message } = reasonOf(error);
      // The sentence ends in the command, which stands behind it in letters of its own.
      this.#say(message.replace(` ${command}`, ''), byCommand.has(code));
    }
  }

  #end(from: HTMLElement): void {
    this.#asking = false;
    this.#become(null);
    from.focus();
  }

  #become(dialog: DialogKind | null): void {
    this.#dialog = dialog;
    setHidden(this.#buttons, dialog !== null);
    setHidden(this.#waiting, dialog === null);
    this.#say(dialog === null ? '' : `A dialog of your desktop is open: pick the ${dialog} there.`);
  }

  #say(text: string, withCommand = false): void {
    setText(this.#text, text);
    setHidden(this.#command, !withCommand);
    setHidden(this.#said, text === '');
  }
}
