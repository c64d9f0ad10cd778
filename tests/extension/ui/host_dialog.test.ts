// @vitest-environment happy-dom
// Adding a folder or a file in the desktop's own dialog: what the page says while it is open and after, on every page.
import { beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from '../../../extension/src/messages/client.ts';
import type { DialogKind } from '../../../extension/src/messages/host.ts';
import { Bench } from './bench.ts';
import { one, settle } from './recorder.ts';
import { stateOf } from './states.ts';

let bench: Bench;
let answer: { resolve: (granted: string | null) => void; reject: (error: Error) => void };

beforeEach(() => {
  localStorage.clear();
  bench = new Bench();
  bench.show(stateOf('empty'));
  bench.actions.later['dialog.open'] = new Promise((resolve, reject) => {
    answer = {
      resolve: (granted) => {
        resolve({ granted });
      },
      reject,
    };
  });
  bench.actions.answers['host.list'] = {
    path: '',
    entries: ['Shadegrad', 'data'].map((name) => ({
      name,
      path: name,
      kind: 'folder' as const,
      size: null,
      modified: null,
    })),
  };
});

const showDialog = (dialog: DialogKind | null): void => {
  bench.show(stateOf('empty', { host: { ...stateOf('empty').host, dialog } }));
};
const shown = (id: string): boolean => {
  for (let at: HTMLElement | null = one(id); at !== null; at = at.parentElement) {
    if (at.hidden) return false;
  }
  return true;
};
const said = (): string => one('dialog-state').textContent.trim();

describe('the page that asked', () => {
  it('waits, lists what was added, and puts the focus on it', async () => {
    one('dialog-folder').click();
    expect(bench.actions.of('dialog.open')).toEqual([{ type: 'dialog.open', kind: 'folder' }]);
    expect(said()).toContain('pick the folder there');
    expect(shown('dialog-folder')).toBe(false);
    expect(document.activeElement).toBe(one('dialog-cancel'));
    answer.resolve('data');
    await settle();
    await settle();
    expect(said()).toContain('Shadegrad may now read the folder “data”, and nothing beside it.');
    expect(shown('dialog-folder')).toBe(true);
    expect(bench.actions.of('host.list')).toHaveLength(1);
    expect((document.activeElement as HTMLElement).dataset['path']).toBe('data');
  });

  it('keeps what it says while the worker is a little behind', async () => {
    one('dialog-file').click();
    bench.show(stateOf('empty'));
    expect(said()).toContain('pick the file there');
    answer.resolve(null);
    await settle();
    expect(said()).toContain('Nothing was added.');
    for (const dialog of ['file', 'file', null] as const) {
      showDialog(dialog);
      expect(said()).toContain('Nothing was added.');
    }
    showDialog('folder');
    expect(said()).toContain('pick the folder there');
    showDialog(null);
    expect(said()).toContain('Nothing was added.');
    expect(document.activeElement).toBe(one('dialog-file'));
    expect(bench.actions.of('host.list')).toHaveLength(0);
  });

  it('can take the dialog off the screen', () => {
    one('dialog-folder').click();
    one('dialog-cancel').click();
    expect(bench.actions.of('dialog.close')).toHaveLength(1);
  });

  it('names the command to type where no dialog can be shown', async () => {
    one('dialog-folder').click();
    answer.reject(
      new CommandError(
        'dialog.unavailable',
        'No file chooser can be shown here: there is no display. Grant a folder at a terminal instead: shadegrad-host grant DIR',
      ),
    );
    await settle();
    expect(said()).toMatch(
      /there is no display.*at a terminal instead:\s+shadegrad-host grant DIR$/,
    );
    const command = one('dialog-state').querySelector('code')!;
    expect([command.textContent, command.hidden]).toEqual(['shadegrad-host grant DIR', false]);
    expect(document.activeElement).toBe(one('dialog-folder'));
  });

  it('says why nothing was added, and names no command then', async () => {
    one('dialog-folder').click();
    answer.reject(new CommandError('dialog.refused', "The folder '/' can't be granted."));
    await settle();
    expect(said()).toContain("The folder '/' can't be granted.");
    expect(one('dialog-state').querySelector('code')!.hidden).toBe(true);
    expect(shown('dialog-folder')).toBe(true);
  });
});

describe('another page', () => {
  it('says that the dialog is open, can close it, and is itself again after', () => {
    showDialog('folder');
    expect(said()).toContain('A dialog of your desktop is open: pick the folder there.');
    one('dialog-cancel').click();
    expect(bench.actions.of('dialog.close')).toHaveLength(1);
    showDialog(null);
    expect(shown('dialog-state')).toBe(false);
    expect(shown('dialog-folder')).toBe(true);
  });

  it('offers nothing without the host', () => {
    const host = { ...stateOf('empty').host, state: 'missing' as const };
    bench.show(stateOf('empty', { host }));
    expect(shown('dialog-folder')).toBe(false);
  });
});
