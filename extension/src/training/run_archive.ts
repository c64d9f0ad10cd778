// A run as one file: a zip archive that holds run.json, with the run's name and the person's words for it, and its
// checkpoints as they are, not packed. One that comes in is a stranger's file: names, number and sizes are held against
// the file's true size before anything of it is read, and every checkpoint's header against its own hash.
import type { Entry, FileEntry } from '@zip.js/zip.js';
import {
  BlobReader,
  BlobWriter,
  configure,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
} from '@zip.js/zip.js/lib/zip-core-external.js';
import { checkRun, isCheckpointFile } from '../messages/checkpoint_names.ts';
import * as v from '../messages/validate.ts';
import type { RunWords } from '../storage/checkpoint_store.ts';
import { checkHeader, headerSize, readMetadata, summaryOf } from '../storage/summary.ts';
import type { Summary } from '../storage/summary.ts';
import { TrainingError } from './errors.ts';

configure({ useWebWorkers: false, useCompressionStream: true });

const ABOUT = 'run.json';
const FORMAT = 'shadegrad-run-file/1';
const ABOUT_BYTES = 100_000;
const MOST_CHECKPOINTS = 10_000;

const about = v.object({
  format: v.oneOf(FORMAT),
  run: checkRun,
  name: v.text(400),
  note: v.text(8000),
});

export interface ArchivedCheckpoint {
  /** Without its folder. */
  file: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ArchivedRun extends RunWords {
  run: string;
  checkpoints: (ArchivedCheckpoint & { summary: Summary })[];
}

/** `checkpoints` are asked for one after the other. */
export async function packRun(
  run: string,
  words: RunWords,
  checkpoints: AsyncIterable<ArchivedCheckpoint>,
): Promise<Blob> {
  const archive = new ZipWriter(new BlobWriter('application/zip'), {
    level: 0,
    extendedTimestamp: false,
  });
  const text = new TextEncoder().encode(JSON.stringify({ format: FORMAT, run, ...words }));
  await archive.add(ABOUT, new Uint8ArrayReader(text));
  for await (const { file, bytes } of checkpoints)
    await archive.add(file, new Uint8ArrayReader(bytes));
  return archive.close();
}

/** Throws a TrainingError that says what is wrong with the file. */
export async function unpackRun(file: File): Promise<ArchivedRun> {
  try {
    const entries = await entriesOf(file);
    const first = entries.find(({ filename }) => filename === ABOUT);
    if (first === undefined) throw new Error(`it has no ${ABOUT}`);
    if (first.uncompressedSize > ABOUT_BYTES) throw new Error(`its ${ABOUT} is too large`);
    const { run, name, note } = about(
      JSON.parse(new TextDecoder().decode(await bytesOf(first))),
      ABOUT,
    );
    const checkpoints: ArchivedRun['checkpoints'] = [];
    for (const entry of entries) {
      if (entry === first) continue;
      const bytes = await bytesOf(entry);
      checkpoints.push({ file: entry.filename, bytes, summary: await summaryIn(entry, bytes) });
    }
    return { run, name, note, checkpoints };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `"${file.name}" is no run that was exported here: ${why}. Nothing of it was kept; export the run again where it comes from.`;
    throw new TrainingError('run.file', message);
  }
}

async function entriesOf(file: File): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for await (const entry of new ZipReader(new BlobReader(file)).getEntriesGenerator()) {
    const { filename } = entry;
    const plain = asPlain(entry);
    if (names.has(filename)) throw new Error(`it holds "${filename}" twice`);
    names.add(filename);
    // Entries may lie over one another and claim anything: together they fit into the file, or it is not ours.
    bytes += plain.uncompressedSize;
    if (bytes > file.size || entries.length > MOST_CHECKPOINTS)
      throw new Error('it claims to hold more than it is long');
    entries.push(plain);
  }
  return entries;
}

function asPlain(entry: Entry): FileEntry {
  const { filename } = entry;
  if (entry.directory || (filename !== ABOUT && !isCheckpointFile(filename)))
    throw new Error(`"${filename.slice(0, 100)}" is not the name of a checkpoint`);
  const packed = entry.compressionMethod !== 0 || entry.compressedSize !== entry.uncompressedSize;
  if (packed || entry.encrypted) throw new Error(`"${filename}" was packed by another program`);
  return entry;
}

async function bytesOf(entry: FileEntry): Promise<Uint8Array<ArrayBuffer>> {
  return entry.getData(new Uint8ArrayWriter(), { checkCrc32: true });
}

async function summaryIn(
  { filename }: FileEntry,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Summary> {
  try {
    const header = bytes.slice(0, headerSize(bytes, bytes.length));
    const metadata = readMetadata(header, bytes.length);
    await checkHeader(header, metadata);
    return summaryOf(metadata);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the checkpoint "${filename}" is damaged, ${why}`, { cause: error });
  }
}
