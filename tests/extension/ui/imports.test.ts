// @vitest-environment happy-dom
// Imported data in the dashboard, and the question what may go when a new import lacks room.
import { beforeEach, describe, expect, it } from 'vitest';
import { Imports, RoomQuestion } from '../../../extension/src/ui/imports.ts';
import type { ImportedDataset, RunState } from '../../../extension/src/messages/state.ts';
import { all, one, Recorder } from './recorder.ts';
import { stateOf } from './states.ts';

let actions: Recorder;
beforeEach(() => {
  document.body.replaceChildren();
  actions = new Recorder();
});

const imported = (change: Partial<ImportedDataset> = {}): ImportedDataset => ({
  id: 'a',
  kind: 'file',
  name: 'waves.csv',
  path: null,
  size: 100,
  rows: 1461,
  bytes: 24_000,
  used: Date.UTC(2026, 4, 14, 12),
  problem: null,
  ...change,
});

describe('imported data', () => {
  function show(imports: ImportedDataset[], change: Partial<RunState> = {}): Imports {
    const card = new Imports(actions);
    document.body.append(card.element);
    card.update({ ...stateOf('empty'), ...change, imports, importsFree: 2e9 }, new Set());
    return card;
  }

  it('is listed with rows, size and the day of its last use, and as a whole', () => {
    show([imported(), imported({ id: 'b', name: 'other.csv', bytes: 6000 })]);
    expect(one('imports-room').textContent).toBe(
      '2 files, 30 kB here; there is room for 2 GB more',
    );
    expect(all('import-row')[0]?.textContent).toMatch(
      /waves\.csv.*1,461 rows · 24 kB · used May 14, 2026/,
    );
  });

  it('is not there where there is none', () => {
    expect(show([]).element.hidden).toBe(true);
  });

  it('is opened without its file', () => {
    show([imported()]);
    one('import-open').click();
    expect(actions.of('dataset.open')).toMatchObject([{ source: { kind: 'imported', id: 'a' } }]);
  });

  it('is removed only after a second word', () => {
    show([imported()]);
    one('import-remove').click();
    expect(actions.commands).toEqual([]);
    one('import-confirm').click();
    expect(actions.of('import.remove')).toMatchObject([{ id: 'a' }]);
  });

  it('that is open stays', () => {
    const ready = stateOf('ready');
    show([imported()], { ...ready, source: { ...ready.source!, imported: 'a' } });
    expect(one('import-row').textContent).toContain('open now');
    for (const id of ['import-open', 'import-remove'])
      expect((one(id) as HTMLButtonElement).disabled).toBe(true);
  });

  it('is not changed for another one while a run is under way', () => {
    show([imported()], stateOf('training'));
    expect((one('import-open') as HTMLButtonElement).disabled).toBe(true);
  });

  it('that is damaged says so, and is imported again from its file or its path', () => {
    const problem = '000001.safetensors is missing';
    show([
      imported({ problem }),
      imported({ id: 'b', kind: 'host', path: 'Data/waves.csv', problem }),
    ]);
    expect(all('import-row')[0]?.textContent).toContain('Damaged: 000001.safetensors is missing.');
    expect(all('import-open')).toEqual([]);
    const [chooser, button] = all<HTMLInputElement>('import-again');
    const file = new File(['a'], 'waves.csv');
    Object.defineProperty(chooser, 'files', { value: [file] });
    chooser!.dispatchEvent(new Event('change'));
    button!.click();
    expect(actions.of('dataset.open').map(({ source }) => source)).toEqual([
      { kind: 'file', file },
      { kind: 'host', path: 'Data/waves.csv' },
    ]);
  });
});

describe('too little room', () => {
  const shortage = {
    name: 'big.csv',
    needed: 5e9,
    free: 2e9,
    offered: [
      { id: 'a', name: 'old.csv', bytes: 2e9, used: 0 },
      { id: 'b', name: 'older.csv', bytes: 1e9, used: 0 },
    ],
  };
  function ask(change: Partial<RunState>): RoomQuestion {
    const question = new RoomQuestion(actions);
    document.body.append(question.element);
    question.update({ ...stateOf('empty'), ...change }, new Set());
    return question;
  }

  it('asks what may go, with what is needed and what is free', () => {
    ask({ shortage });
    expect(one('room-question').textContent).toMatch(
      /5 GB are needed for big\.csv, and 2 GB are free\. Remove .* old\.csv and older\.csv\?/,
    );
    one('room-make').click();
    one('room-keep').click();
    expect(actions.commands.map(({ type }) => type)).toEqual(['import.makeRoom', 'import.giveUp']);
  });

  it('asks nothing where nothing could go', () => {
    expect(ask({ shortage: { ...shortage, offered: [] } }).element.hidden).toBe(true);
    expect(ask({ shortage: null }).element.hidden).toBe(true);
  });
});
