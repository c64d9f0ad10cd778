// The data that is kept in this browser: what was imported, what it takes, and Open and Remove. A damaged import offers to
// be made anew. Where a new import lacks room, what was not used for longest is offered to go, and nothing goes unasked.

import type { ImportedDataset, RunState, Shortage } from '../messages/state.ts';
import { isActive } from '../messages/state.ts';
import { make, on, setDisabled, setHidden, setText, syncList } from './dom.ts';
import { makeFileInput, sourceOf } from './file_input.ts';
import { formatBytes, formatMoment, shorten } from './format.ts';
import type { Actions, Snapshot } from './page.ts';
import { each, once, testIds } from './testids.ts';
import { counted, joinWords, t } from '../texts.ts';

export class Imports {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #title = make('h2', {}, t('importedData'));
  readonly #room = make('p', { class: 'muted small', ...once(testIds.importsRoom) });
  readonly #list = make('ul', { class: 'imports' });
  #state: RunState | null = null;

  constructor(actions: Actions) {
    this.#actions = actions;
    this.element = make(
      'section',
      { class: 'card', hidden: true, 'aria-label': t('importedData') },
      make('div', { class: 'stack tight' }, this.#title, this.#room),
      this.#list,
    );
  }

  update(state: RunState, busy: Snapshot['busy']): void {
    this.#state = state;
    const { imports, importsFree } = state;
    setHidden(this.element, imports.length === 0);
    const bytes = imports.reduce((sum, one) => sum + one.bytes, 0);
    const here = counted('importsHere', imports.length, formatBytes(bytes));
    const room = importsFree === null ? here : t('withRoom', here, formatBytes(importsFree));
    setText(this.#room, room);
    syncList(
      this.#list,
      imports,
      ({ id, problem }) => `${id} ${problem ?? ''}`,
      (one) => this.#make(one),
      (row, one) => {
        this.#show(row, one, busy);
      },
    );
  }

  #make(one: ImportedDataset): HTMLLIElement {
    const { id, name, kind, problem } = one;
    const open = make('button', { type: 'button', ...each(testIds.importOpen) }, t('open'));
    const remove = make(
      'button',
      { type: 'button', class: 'quiet danger', ...each(testIds.importRemove) },
      t('remove'),
    );
    const confirm = make(
      'button',
      { type: 'button', class: 'danger', ...each(testIds.importConfirm) },
      t('removeForGood'),
    );
    const keep = make('button', { type: 'button', class: 'quiet' }, t('keep'));
    const offered = make(
      'div',
      { class: 'actions' },
      problem === null ? open : this.#makeAgain(one),
      remove,
    );
    const asked = make('div', { class: 'actions', hidden: true }, confirm, keep);
    const ask = (asking: boolean) => () => {
      setHidden(offered, asking);
      setHidden(asked, !asking);
      (asking ? keep : remove).focus();
    };
    on(open, 'click', () => {
      void this.#actions.run({ type: 'dataset.open', source: { kind: 'imported', id } });
    });
    on(remove, 'click', ask(true));
    on(keep, 'click', ask(false));
    on(confirm, 'click', () => void this.#actions.run({ type: 'import.remove', id }));
    return make(
      'li',
      { 'data-id': id, 'data-ok': String(problem === null), ...each(testIds.importRow) },
      make(
        'div',
        { class: 'row spread' },
        make('strong', { class: 'clip', title: one.path ?? name }, shorten(name, 40)),
        make('span', { class: 'type' }, kind === 'host' ? t('store_host') : t('pickedFile')),
      ),
      make('p', { class: 'small muted number', 'data-part': 'detail' }),
      problem === null ? null : make('p', { class: 'small problem' }, t('damaged', problem)),
      offered,
      asked,
    );
  }

  /** A picked file is the person's to pick again; one of the host is there by its path. */
  #makeAgain({ kind, path }: ImportedDataset): HTMLElement {
    const label = t('importAgain');
    if (kind !== 'host' || path === null)
      return makeFileInput(label, each(testIds.importAgain), (picked) => {
        void this.#actions.run({ type: 'dataset.open', source: sourceOf(picked) });
      });
    const again = make('button', { type: 'button', ...each(testIds.importAgain) }, label);
    on(again, 'click', () => {
      void this.#actions.run({ type: 'dataset.open', source: { kind: 'host', path } });
    });
    return again;
  }

  #show(row: HTMLLIElement, one: ImportedDataset, busy: Snapshot['busy']): void {
    const state = this.#state;
    if (state === null) return;
    const isOpen = state.source?.imported === one.id && state.description !== null;
    const held = isActive(state.phase) || state.phase === 'reading' || busy.has('dataset.open');
    const detail = row.querySelector('[data-part=detail]');
    const when = isOpen ? t('openNow') : t('usedAt', formatMoment(one.used));
    if (detail !== null)
      setText(detail, [counted('rows', one.rows), formatBytes(one.bytes), when].join(' · '));
    for (const control of row.querySelectorAll<HTMLButtonElement | HTMLInputElement>(
      'button, input',
    )) {
      const { testid } = control.dataset;
      if (testid === testIds.importOpen || testid === testIds.importAgain)
        setDisabled(control, held || (isOpen && one.problem === null));
      else setDisabled(control, isOpen || busy.has('import.remove'));
    }
  }
}

/** Asks, where a new import lacks room, whether older ones may go for it. */
export class RoomQuestion {
  readonly element: HTMLElement;
  readonly #text = make('p');
  readonly #list = make('ul', { class: 'small' });
  readonly #yes = make(
    'button',
    { type: 'button', class: 'danger', ...once(testIds.roomMake) },
    t('removeAndImport'),
  );
  readonly #no = make('button', { type: 'button', ...once(testIds.roomKeep) }, t('keepEverything'));

  constructor(actions: Actions) {
    on(this.#yes, 'click', () => void actions.run({ type: 'import.makeRoom' }));
    on(this.#no, 'click', () => void actions.run({ type: 'import.giveUp' }));
    this.element = make(
      'section',
      { class: 'card', hidden: true, role: 'alert', ...once(testIds.roomQuestion) },
      make('h2', {}, t('tooLittleRoom')),
      this.#text,
      this.#list,
      make('div', { class: 'actions' }, this.#no, this.#yes),
    );
  }

  update(state: RunState | null, busy: Snapshot['busy']): void {
    const shortage = state?.shortage ?? null;
    const offers = shortage !== null && shortage.offered.length > 0;
    setHidden(this.element, !offers);
    if (!offers) return;
    setText(this.#text, questionOf(shortage));
    syncList(
      this.#list,
      shortage.offered,
      ({ id }) => id,
      ({ name, bytes, used }) =>
        make('li', {}, [name, formatBytes(bytes), t('usedAt', formatMoment(used))].join(' · ')),
      () => undefined,
    );
    setDisabled(this.#yes, busy.has('import.makeRoom'));
    setDisabled(this.#no, busy.has('import.makeRoom'));
  }
}

function questionOf({ name, needed, free, offered }: Shortage): string {
  const names = joinWords(offered.map((one) => one.name));
  return t('roomQuestion', formatBytes(needed), name, formatBytes(free), names);
}
