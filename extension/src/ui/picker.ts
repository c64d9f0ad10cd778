// Picking the data: a file of this machine, a file of the granted folder through the native host, or the example.
// A file input hands over the File itself, so the popup may close as soon as the worker has it.

import type { HostEntry } from '../messages/commands.ts';
import type { LastRun, RunState } from '../messages/state.ts';
import { deviceText } from './device_view.ts';
import { make, on, setAttribute, setDisabled, setHidden, setText, syncList } from './dom.ts';
import { droppedFiles, makeFileInput, sourceOf } from './file_input.ts';
import type { Picked } from './file_input.ts';
import { formatBytes, formatCount, formatMoment, shorten } from './format.ts';
import type { Actions, Snapshot } from './page.ts';
import { HostDialogPanel } from './host_dialog.ts';
import { hostSays, SaidLine } from './said.ts';
import { each, once, testIds } from './testids.ts';
import { counted, t } from '../texts.ts';

const exampleName = 'seattle-weather.csv';
/** What a run that had reached its end is continued by. */
const moreEpochs = 10;

export interface PickerOptions {
  /** Set where opening a file chooser closes the page: then the button goes to the dashboard. */
  pickElsewhere: (() => void) | null;
}

export class Picker {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #example: HTMLButtonElement;
  readonly #lastRun: LastRunCard;
  readonly #folder: HostFolder;

  constructor(actions: Actions, options: PickerOptions) {
    this.#actions = actions;
    this.#example = make('button', {
      type: 'button',
      class: 'quiet',
      ...once(testIds.exampleOpen),
    });
    this.#example.append(t('tryExample'));
    on(this.#example, 'click', () => {
      void actions.run({ type: 'dataset.open', source: { kind: 'example', name: exampleName } });
    });
    this.#lastRun = new LastRunCard(actions);
    this.#folder = new HostFolder(actions);
    const zone =
      options.pickElsewhere === null ? this.#makeDrop() : makeElsewhere(options.pickElsewhere);
    zone.append(this.#example);
    this.element = make(
      'div',
      { class: 'stack' },
      zone,
      this.#lastRun.element,
      this.#folder.element,
    );
  }

  update({ state, busy }: Snapshot): void {
    setDisabled(this.#example, busy.has('dataset.open'));
    this.#lastRun.update(state?.lastRun ?? null, busy.has('checkpoint.resume'));
    if (state !== null) this.#folder.update(state, busy.has('dataset.open'));
  }

  #makeDrop(): HTMLElement {
    const open = (picked: Picked): void => {
      this.#open(picked);
    };
    const zone = make(
      'div',
      { class: 'drop', ...once(testIds.dropZone) },
      makeFileInput(t('chooseFile'), once(testIds.fileInput), open),
      make('p', { class: 'muted small' }, t('orDrop')),
      makeFileInput(t('choosePictures'), once(testIds.folderInput), open, true),
    );
    const over = (inside: boolean) => (event: Event) => {
      event.preventDefault();
      setAttribute(zone, 'data-over', inside ? 'true' : null);
    };
    on(on(zone, 'dragover', over(true)), 'dragleave', over(false));
    on(zone, 'drop', (event) => {
      over(false)(event);
      void droppedFiles((event as DragEvent).dataTransfer).then((picked) => {
        if (picked !== null) this.#open(picked);
      });
    });
    return zone;
  }

  #open(picked: Picked): void {
    void this.#actions.run({ type: 'dataset.open', source: sourceOf(picked) });
  }
}

function makeElsewhere(go: () => void): HTMLElement {
  const button = make(
    'button',
    { type: 'button', class: 'primary choose', ...once(testIds.pickInDashboard) },
    t('chooseFile'),
  );
  on(button, 'click', go);
  return make(
    'div',
    { class: 'drop' },
    button,
    make('p', { class: 'muted small' }, t('chosenInDashboard')),
  );
}

class LastRunCard {
  readonly #text = make('p', { class: 'small muted' });
  readonly #title = make('p', { class: 'clip' });
  readonly #button = make('button', { type: 'button', ...once(testIds.lastRunResume) }, t('goOn'));
  readonly element = make(
    'section',
    { class: 'card', hidden: true, 'aria-label': t('lastRun') },
    make(
      'div',
      { class: 'row spread' },
      make('div', { class: 'stack tight' }, this.#title, this.#text),
      this.#button,
    ),
  );
  #run: LastRun | null = null;

  constructor(actions: Actions) {
    on(this.#button, 'click', () => {
      const run = this.#run;
      if (run === null) return;
      const epochs = run.epoch < run.epochs ? undefined : moreEpochs;
      void actions.run({ type: 'checkpoint.resume', ...run.checkpoint, epochs });
    });
  }

  update(run: LastRun | null, busy: boolean): void {
    this.#run = run;
    setHidden(this.element, run === null);
    setDisabled(this.#button, busy);
    if (run === null) return;
    setText(this.#button, run.epoch < run.epochs ? t('goOn') : counted('moreEpochs', moreEpochs));
    setText(this.#title, t('lastRunOf', shorten(run.source.name, 34)));
    const parts = [t('epochOf', formatCount(run.epoch), formatCount(run.epochs))];
    if (run.device !== null) parts.push(deviceText(run.device, false));
    setText(this.#text, [...parts, formatMoment(run.time)].join(' · '));
  }
}

/** The granted folders, browsed level by level and added to; without the host, one line on what it would add. */
class HostFolder {
  readonly #actions: Actions;
  readonly #message = new SaidLine({ class: 'small muted', name: testIds.hostState });
  readonly #connect = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.hostConnect) },
    t('lookAgain'),
  );
  readonly #browse = make(
    'button',
    { type: 'button', ...once(testIds.hostOpen) },
    t('fromGranted'),
  );
  readonly #up = make(
    'button',
    { type: 'button', class: 'quiet', ...once(testIds.hostUp) },
    t('back'),
  );
  readonly #path = make('span', { class: 'clip small muted' });
  readonly #list = make('ul', { class: 'entries', 'aria-label': t('grantedFiles') });
  readonly #listing = make(
    'div',
    { class: 'stack', hidden: true },
    make('div', { class: 'row' }, this.#up, this.#path),
    this.#list,
  );
  readonly #none = make('p', { class: 'small muted', hidden: true }, t('nothingReadable'));
  readonly #dialog: HostDialogPanel;
  readonly element: HTMLElement;
  #trail: string[] = [];
  #entries: HostEntry[] | null = null;
  #asked = false;

  constructor(actions: Actions) {
    this.#actions = actions;
    this.#dialog = new HostDialogPanel(actions, (name) => void this.#show([], name));
    this.element = make(
      'section',
      { class: 'stack', 'aria-label': t('grantedFolders') },
      this.#browse,
      this.#listing,
      this.#none,
      this.#dialog.element,
      make('div', { class: 'row spread' }, this.#message.element, this.#connect),
    );
    on(this.#connect, 'click', () => void actions.run({ type: 'host.connect' }));
    on(this.#browse, 'click', () => void this.#show([]));
    on(this.#up, 'click', () => {
      if (this.#trail.length === 0) this.#close();
      else void this.#show(this.#trail.slice(0, -1));
    });
  }

  update({ host }: RunState, opening: boolean): void {
    const connected = host.state === 'connected';
    if (host.state === 'unknown' && !this.#asked) {
      this.#asked = true;
      void this.#actions.run({ type: 'host.connect' });
    }
    if (!connected) this.#close();
    setHidden(this.#browse, !connected || this.#entries !== null);
    setHidden(this.#connect, connected || host.state === 'unknown');
    this.#message.show(hostSays(host));
    this.#dialog.update(host);
    for (const button of this.#list.querySelectorAll('button')) setDisabled(button, opening);
  }

  #close(): void {
    this.#entries = null;
    this.#trail = [];
    setHidden(this.#listing, true);
    setHidden(this.#none, true);
    setHidden(this.#browse, false);
  }

  /** Lists a folder, the granted ones without one; the entry with the path `first` gets the focus. */
  async #show(trail: string[], first?: string): Promise<void> {
    const path = trail[trail.length - 1];
    const listing = await this.#actions.run(
      path === undefined ? { type: 'host.list' } : { type: 'host.list', path },
    );
    if (listing === null) return;
    this.#trail = trail;
    this.#entries = listing.entries;
    setHidden(this.#browse, true);
    setHidden(this.#listing, false);
    setHidden(this.#none, listing.entries.length > 0);
    setHidden(this.#list, listing.entries.length === 0);
    setText(this.#path, path ?? t('grantedFolders'));
    this.#list.replaceChildren();
    syncList(
      this.#list,
      listing.entries,
      ({ path: key }) => key,
      (entry) => this.#makeEntry(entry),
      () => undefined,
    );
    const buttons = [...this.#list.querySelectorAll('button')];
    (buttons.find(({ dataset }) => dataset['path'] === first) ?? buttons[0])?.focus();
  }

  #makeEntry(entry: HostEntry): HTMLLIElement {
    const folder = entry.kind === 'folder';
    const button = make(
      'button',
      {
        type: 'button',
        'data-path': entry.path,
        'data-kind': entry.kind,
        ...each(testIds.hostEntry),
      },
      make('span', { class: 'clip' }, folder ? `${entry.name}/` : entry.name),
      make('span', { class: 'size' }, folder ? '›' : formatBytes(entry.size)),
    );
    on(button, 'click', () => {
      if (folder) void this.#show([...this.#trail, entry.path]);
      else
        void this.#actions.run({
          type: 'dataset.open',
          source: { kind: 'host', path: entry.path },
        });
    });
    return make('li', {}, button);
  }
}
