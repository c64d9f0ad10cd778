// Buttons that open the browser's file chooser, and hand over what was chosen. The input lies over its label, so that a
// click, the keyboard and a screen reader all find the real control. And what was dropped, folders included.

import { make, on } from './dom.ts';
import type { TestId } from './testids.ts';
import { counted } from '../texts.ts';

/** A file, and where it lay below what was picked. */
export interface PickedFile {
  path: string;
  file: File;
}

export interface Picked {
  name: string;
  files: PickedFile[];
}

interface Identity {
  id?: string;
  'data-testid': TestId;
}

/** One file or several that belong together; any kind, since the worker says what it can't read. */
export function makeFileInput(
  label: string,
  identity: Identity,
  open: (picked: Picked) => void,
  folder = false,
): HTMLLabelElement {
  const input = make('input', {
    type: 'file',
    multiple: true,
    'aria-label': label,
    ...(folder && { webkitdirectory: '' }),
    ...identity,
  });
  on(input, 'change', () => {
    const files = [...(input.files ?? [])].map(pickedFile);
    input.value = '';
    const picked = named(files);
    if (picked !== null) open(picked);
  });
  return make('label', { class: folder ? 'button quiet' : 'button choose' }, label, input);
}

/** What dataset.open takes for what was picked. */
export function sourceOf({
  name,
  files,
}: Picked): { kind: 'file'; file: File } | ({ kind: 'files' } & Picked) {
  const [only, second] = files;
  const plain = only !== undefined && second === undefined && !only.path.includes('/');
  return plain ? { kind: 'file', file: only.file } : { kind: 'files', name, files };
}

function pickedFile(file: File): PickedFile {
  return { path: file.webkitRelativePath || file.name, file };
}

/** Files from one folder are called like it. Hidden files are none that a person means. */
function named(all: PickedFile[]): Picked | null {
  const files = all.filter(({ path }) => !/(^|\/)\./.test(path));
  const [first, second] = files;
  if (first === undefined) return null;
  const [folder] = first.path.split('/');
  if (folder !== undefined && folder !== first.path) return { name: folder, files };
  const name = second === undefined ? first.path : counted('andMore', files.length - 1, first.path);
  return { name, files };
}

/** Null when nothing that was dropped is a file. */
export async function droppedFiles(transfer: DataTransfer | null): Promise<Picked | null> {
  // The list is emptied as soon as the event is over: entries are taken first, all at once.
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
  const plain = [...(transfer?.files ?? [])].map(pickedFile);
  if (!entries.some((entry) => entry?.isDirectory === true)) return named(plain);
  const files: PickedFile[] = [];
  for (const entry of entries) if (entry !== null) await walk(entry, files);
  return named(files);
}

async function walk(entry: FileSystemEntry, files: PickedFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    files.push({ path: entry.fullPath.replace(/^\//, ''), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A folder is told in portions; an empty one is the end.
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (portion.length === 0) return;
    for (const one of portion) await walk(one, files);
  }
}
