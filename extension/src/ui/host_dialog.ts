// Adding to what the native host may read: the desktop's own dialog asks for a folder or a file, and what the person
// picks there is all that is added. The dialog may stand open for as long as the person likes, and every page that is
// open meanwhile says so and can take it off the screen.
import type { DialogKind } from '../messages/host.ts';
import type { HostStatus } from '../messages/host_status.ts';
import { make, on, setHidden, setText } from './dom.ts';
import { reasonOf } from './page.ts';
import type { Actions } from './page.ts';
import { inLanguage } from './said.ts';
import { once, testIds } from './testids.ts';
import { t } from '../texts.ts';

const command = 'shadegrad-host grant DIR';
/** Where no dialog can be shown, a terminal still grants; an older host knows no dialog at all. */
const byCommand = new Set(['dialog.unavailable', 'message.unknown']);

export class HostDialogPanel {
  readonly #actions: Actions;
  readonly #granted: (name: string) => void;
  readonly #folder = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.dialogFolder) },
    t('addFolder'),
  );
  readonly #file = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.dialogFile) },
    t('addFile'),
  );
  readonly #cancel = make(
    'button',
    { type: 'button', ...once(testIds.dialogCancel) },
    t('closeDialog'),
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
  /** What this page asks for, and what the worker says is open, which may be a little older. */
  #asking: DialogKind | null = null;
  #open: DialogKind | null = null;
  #answered = false;
  #outcome = { text: '', withCommand: false };

  /** `granted` hears the name of what was added. */
  constructor(actions: Actions, granted: (name: string) => void) {
    this.#actions = actions;
    this.#granted = granted;
    on(this.#folder, 'click', () => void this.#ask('folder', this.#folder));
    on(this.#file, 'click', () => void this.#ask('file', this.#file));
    on(this.#cancel, 'click', () => void actions.run({ type: 'dialog.close' }));
    this.#draw();
  }

  update({ state, dialog }: HostStatus): void {
    setHidden(this.element, state !== 'connected' && dialog === null);
    // After its own answer a page may still be told of the dialog that it has heard the end of.
    if (dialog === null) this.#answered = false;
    this.#open = this.#answered ? null : dialog;
    this.#draw();
  }

  async #ask(kind: DialogKind, from: HTMLElement): Promise<void> {
    this.#asking = kind;
    this.#draw();
    this.#cancel.focus();
    let granted: string | null = null;
    try {
      ({ granted } = await this.#actions.ask({ type: 'dialog.open', kind }));
      const text = granted === null ? t('nothingAdded') : t(`granted_${kind}`, granted);
      this.#outcome = { text, withCommand: false };
    } catch (error) {
      const { code, message } = reasonOf(error);
      // The sentence ends in the command, which stands behind it in letters of its own.
      const text = inLanguage(code, message).text.replace(` ${command}`, '');
      this.#outcome = { text, withCommand: byCommand.has(code) };
    }
    this.#asking = null;
    this.#open = null;
    this.#answered = true;
    this.#draw();
    from.focus();
    if (granted !== null) this.#granted(granted);
  }

  #draw(): void {
    const dialog = this.#asking ?? this.#open;
    setHidden(this.#buttons, dialog !== null);
    setHidden(this.#waiting, dialog === null);
    const { text, withCommand } = this.#outcome;
    const said = dialog === null ? text : t(`dialogOpen_${dialog}`);
    setText(this.#text, said);
    setHidden(this.#command, dialog !== null || !withCommand);
    setHidden(this.#said, said === '');
  }
}
