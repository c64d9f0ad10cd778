// The data of the training room: at most one open data set, the reading of another one, and the imports that are kept.
// A reading that fails or is called off leaves the open data set as it was.
import type { DataSource } from '../messages/commands.ts';
import type {
  DatasetDescription,
  ImportedDataset,
  SourceInfo,
  TrainedOn,
} from '../messages/state.ts';
import { entryOf } from '../storage/datasets.ts';
import type { Datasets } from '../storage/datasets.ts';
import type { Core } from './core.ts';
import { cancelled } from './dataset.ts';
import type { OpenDataset, ReadingTask } from './dataset.ts';
import { failureOf, TrainingError } from './errors.ts';
import type { HostLink } from './hostlink.ts';
import { Importing, ShortageError } from './importing.ts';
import { NO_RUN } from './no_run.ts';
import type { Snapshot } from './snapshot.ts';
import { pickedSource } from './picked.ts';
import { exampleSource, hostSource, reopen } from './sources.ts';
import type { ByteSource, Examples } from './sources.ts';

export interface DataParts {
  core: Core;
  link: HostLink;
  snapshot: Snapshot;
  datasets: Datasets;
  examples: Examples;
}

export interface DataEvents {
  /** The open data set is about to go: what was trained on it is closed first. */
  replacing: () => void;
  /** Whether something would be lost may have changed. */
  changed: () => void;
}

export class DataRoom {
  readonly #parts: DataParts;
  readonly #events: DataEvents;
  readonly #importing: Importing;
  #dataset: OpenDataset | null = null;
  /** Where it came from. */
  #source: DataSource | null = null;
  #reading: AbortController | null = null;
  /** What lacked the room. */
  #lacked: DataSource | null = null;

  constructor(parts: DataParts, events: DataEvents) {
    this.#parts = parts;
    this.#events = events;
    const { core, datasets, snapshot } = parts;
    this.#importing = new Importing({
      core,
      datasets,
      changed: (message) => {
        snapshot.notice('info', 'dataset.changed', message);
      },
      inUse: () => this.#dataset?.stored?.id ?? null,
    });
  }

  /** Whether the worker holds or reads something. */
  get busy(): boolean {
    return this.#dataset !== null || this.#reading !== null;
  }

  need(): OpenDataset {
    if (this.#dataset !== null) return this.#dataset;
    throw new TrainingError('dataset.missing', 'No file is open: pick one first.');
  }

  /** The file that is being read will take the place of the data and of its run. */
  refuseWhileReading(): void {
    if (this.#reading === null) return;
    throw new TrainingError('dataset.busy', 'A file is being read: wait for it, or cancel it.');
  }

  async open(source: DataSource): Promise<{ description: DatasetDescription }> {
    this.refuseWhileReading();
    const { snapshot } = this.#parts;
    const { phase, source: before } = snapshot.state;
    const reading = new AbortController();
    this.#reading = reading;
    this.#lacked = null;
    this.#events.changed();
    try {
      snapshot.update({ shortage: null });
      const opened = await this.#read(source, {
        signal: reading.signal,
        progress: (progress) => {
          snapshot.updateSoon({ reading: progress });
        },
        began: (firstRows) => {
          snapshot.update({ firstRows });
        },
      });
      const imports = await this.#listed(opened.replaced);
      if (reading.signal.aborted) {
        this.#parts.core.datasetClose(opened.handle);
        throw cancelled(opened.source.name);
      }
      this.#use(opened, imports);
      this.#source = source;
      for (const id of opened.replaced) await this.#parts.datasets.remove(id);
      return { description: opened.description };
    } catch (error) {
      if (error instanceof ShortageError) this.#lacks(source, error);
      const failure = failureOf(error);
      const kept = this.#dataset === null ? 'failed' : phase;
      snapshot.update({ phase: kept, reading: null, firstRows: null, source: before, failure });
      throw error;
    } finally {
      this.#reading = null;
      this.#events.changed();
      await this.refresh();
    }
  }

  /** The archive that is open, with other arrays as its table. */
  withArrays(arrays: string[]): DataSource {
    const source = this.#source;
    const known = this.#dataset?.arrays ?? [];
    if (known.length === 0 || source?.kind === 'imported' || source?.kind === 'example' || !source)
      throw new TrainingError(
        'dataset.missing',
        'No archive of arrays is open: pick its file again.',
      );
    return { ...source, arrays };
  }

  /** Another file, for as long as it is used; what is open stays open. */
  async beside<T>(source: DataSource, use: (dataset: OpenDataset) => Promise<T>): Promise<T> {
    const dataset = await this.#openBeside(source);
    try {
      return await use(dataset);
    } finally {
      this.#parts.core.datasetClose(dataset.handle);
      await this.refresh();
    }
  }

  async #openBeside(source: DataSource): Promise<OpenDataset> {
    this.refuseWhileReading();
    const { datasets } = this.#parts;
    if (source.kind === 'imported') return this.#importing.attach(await datasets.get(source.id));
    const reading = new AbortController();
    this.#reading = reading;
    this.#events.changed();
    try {
      const bytes = await this.#byteSource(source);
      const silent = (): undefined => undefined;
      const task = { signal: reading.signal, progress: silent, began: silent };
      const opened = await this.#importing.open(bytes, task);
      const gone = opened.replaced.filter((id) => id !== this.#dataset?.stored?.id);
      for (const id of gone) await datasets.remove(id);
      return opened;
    } finally {
      this.#reading = null;
      this.#events.changed();
    }
  }

  close(): void {
    this.#reading?.abort();
    this.#events.replacing();
    if (this.#dataset !== null) this.#parts.core.datasetClose(this.#dataset.handle);
    this.#dataset = null;
    const nothing = { source: null, description: null, arrays: [] };
    this.#parts.snapshot.update({ ...NO_RUN, phase: 'empty', ...nothing });
    this.#events.changed();
  }

  /**
   * The data that a checkpoint was trained on, where it can be had without asking: the source of the last run, an import
   * or an example of that name. Whether it is still the same data, the core says when it restores the run.
   */
  async reopenFor(id: string, data: TrainedOn | null): Promise<void> {
    const { examples, snapshot } = this.#parts;
    const { lastRun, imports } = snapshot.state;
    if (lastRun !== null && (data === null || data.name === lastRun.source.name)) {
      await this.reopen(lastRun.source);
      return;
    }
    const same = ({ name, size }: ImportedDataset): boolean =>
      name === data?.name && (data.size === null || data.size === size);
    const imported = imports.find(same);
    if (imported !== undefined) await this.open({ kind: 'imported', id: imported.id });
    else if (data !== null && Object.hasOwn(examples, data.name))
      await this.open({ kind: 'example', name: data.name });
    else throw new TrainingError('dataset.missing', missing(id, data));
  }

  async reopen(source: SourceInfo): Promise<void> {
    const { datasets } = this.#parts;
    const { imported, kind, name, path } = source;
    const known = await datasets.list().catch(() => []);
    const kept = known.some((one) => one.id === imported);
    // A newer import may have taken the place of the one that the run began with.
    const [newest] = kept ? [] : await datasets.of({ name }, { kind, path }).catch(() => []);
    await this.open(reopen({ ...source, imported: kept ? imported : (newest?.id ?? null) }));
  }

  async refresh(): Promise<ImportedDataset[]> {
    const { datasets, snapshot } = this.#parts;
    const imports = await this.#listed();
    snapshot.update({ imports, importsFree: await datasets.free() });
    return imports;
  }

  async remove(id: string): Promise<void> {
    if (this.#dataset?.stored?.id === id)
      throw new TrainingError(
        'dataset.open',
        'This data is open: choose another file first, then remove it.',
      );
    this.refuseWhileReading();
    await this.#parts.datasets.remove(id);
    await this.refresh();
  }

  /** Removes what was offered and goes on with what lacked the room. */
  async makeRoom(): Promise<{ description: DatasetDescription }> {
    const { datasets, snapshot } = this.#parts;
    const source = this.#lacked;
    const offered = snapshot.state.shortage?.offered ?? [];
    if (source === null || offered.length === 0)
      throw new TrainingError(
        'storage.no_offer',
        'Nothing is waiting for room: open the file again.',
      );
    for (const { id } of offered) await datasets.remove(id);
    return this.open(source);
  }

  giveUpRoom(): void {
    this.#lacked = null;
    this.#parts.snapshot.update({ shortage: null });
  }

  async #read(source: DataSource, task: ReadingTask): Promise<OpenDataset> {
    const { datasets, snapshot } = this.#parts;
    if (source.kind === 'imported') return this.#importing.attach(await datasets.get(source.id));
    const bytes = await this.#byteSource(source);
    const { size } = bytes.info;
    const reading = { bytes: 0, total: size, rows: 0, rate: null, secondsLeft: null };
    snapshot.update({
      phase: 'reading',
      reading,
      firstRows: null,
      source: bytes.info,
      failure: null,
    });
    return { ...(await this.#importing.open(bytes, task)), arrays: bytes.arrays ?? [] };
  }

  async #byteSource(source: Exclude<DataSource, { kind: 'imported' }>): Promise<ByteSource> {
    if (source.kind === 'file')
      return pickedSource(
        source.file.name,
        [{ path: source.file.name, file: source.file }],
        source,
      );
    if (source.kind === 'files') return pickedSource(source.name, source.files, source);
    if (source.kind === 'host') return hostSource(this.#parts.link, source.path, source);
    return exampleSource(this.#parts.examples, source.name);
  }

  async #listed(except: string[] = []): Promise<ImportedDataset[]> {
    const all = await this.#parts.datasets.list().catch(() => []);
    return all.filter(({ id }) => !except.includes(id)).map(entryOf);
  }

  #use(opened: OpenDataset, imports: ImportedDataset[]): void {
    const before = this.#dataset;
    this.#events.replacing();
    if (before !== null) this.#parts.core.datasetClose(before.handle);
    this.#dataset = opened;
    const { source, description, arrays = [] } = opened;
    this.#parts.snapshot.update({
      ...NO_RUN,
      phase: 'ready',
      source,
      description,
      arrays,
      imports,
    });
  }

  #lacks(source: DataSource, { shortage }: ShortageError): void {
    this.#lacked = source;
    this.#parts.snapshot.update({ shortage });
  }
}

function missing(id: string, data: TrainedOn | null): string {
  if (data === null)
    return `${id} does not say what it was trained on: pick its data, then resume.`;
  const { name, rows, size } = data;
  const parts = [
    rows === null ? [] : `${String(rows)} rows`,
    size === null ? [] : `${String(size)} bytes`,
  ].flat();
  const about = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return `${id} was trained on "${name}"${about}: pick it, then resume.`;
}
