// Answers pages: each request is checked, handed to its row of the table, and answered once, with a result or with a code
// and a sentence. A page asks again when it heard nothing for a while, so an id that was seen is not carried out twice.
import { checkCommand, requestId } from '../messages/commands.ts';
import type {
  Command,
  CommandOf,
  CommandType,
  HostEntry,
  Reply,
  Results,
} from '../messages/commands.ts';
import type { HostReply } from '../messages/host.ts';
import { failureOf } from './errors.ts';
import { HostDialog } from './host_dialog.ts';
import type { HostLink } from './hostlink.ts';
import { Library } from './library.ts';
import type { Saving } from './saving.ts';
import type { Searching } from './searching.ts';
import type { Snapshot } from './snapshot.ts';
import type { Training } from './training.ts';

export interface DeskParts {
  training: Training;
  searching: Searching;
  snapshot: Snapshot;
  saving: Saving;
  link: HostLink;
}

type Handlers = {
  [T in CommandType]: (command: CommandOf<T>) => Results[T] | Promise<Results[T]>;
};

/** What would come between a search and its runs. */
const ALONE = new Set<CommandType>([
  'dataset.open',
  'dataset.arrays',
  'dataset.close',
  'import.makeRoom',
  'run.start',
  'run.trial',
  'checkpoint.resume',
]);
const SEEN = 1000;
const HOST_PAGES = 20;

export class Desk {
  readonly #handlers: Handlers;
  readonly #reply: (reply: Reply) => void;
  readonly #searching: Searching;
  readonly #seen = new Set<string>();

  constructor(parts: DeskParts, reply: (reply: Reply) => void) {
    this.#handlers = handlersOf(parts);
    this.#searching = parts.searching;
    this.#reply = reply;
  }

  async receive(data: unknown): Promise<void> {
    const id = requestId(data);
    if (id === null || this.#seen.has(id)) return;
    this.#remember(id);
    try {
      const command = checkCommand((data as { command?: unknown }).command);
      this.#reply({ kind: 'reply', id, ok: true, result: await this.#carryOut(command) });
    } catch (error) {
      this.#reply({ kind: 'reply', id, ok: false, ...failureOf(error) });
    }
  }

  #carryOut(command: Command): unknown {
    if (ALONE.has(command.type)) this.#searching.refuse();
    const handler = this.#handlers[command.type] as (given: Command) => unknown;
    return handler(command);
  }

  #remember(id: string): void {
    this.#seen.add(id);
    if (this.#seen.size <= SEEN) return;
    const [oldest] = this.#seen;
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}

function handlersOf({ training, searching, snapshot, saving, link }: DeskParts): Handlers {
  const dialog = new HostDialog(link);
  const library = new Library(saving, training.keeper);
  return {
    'state.get': () => {
      snapshot.flush();
      return snapshot.state;
    },
    'dataset.open': ({ source }) => training.openDataset(source),
    'dataset.close': () => {
      training.closeDataset();
      return {};
    },
    'dataset.arrays': ({ arrays }) => training.openDataset(training.data.withArrays(arrays)),
    'import.list': async () => ({ imports: await training.data.refresh() }),
    'import.remove': async ({ id }) => {
      await training.data.remove(id);
      return {};
    },
    'import.makeRoom': () => training.makeRoom(),
    'import.giveUp': () => {
      training.data.giveUpRoom();
      return {};
    },
    'run.start': (command) => training.startRun(command),
    'run.trial': ({ config }) => training.trials.measure(config),
    'trial.stop': () => {
      training.trials.cancel();
      return {};
    },
    'search.start': (command) => searching.start(command),
    'search.stop': async () => {
      await searching.stop();
      return {};
    },
    'search.continue': () => searching.continue(),
    'search.forget': async () => {
      await searching.forget();
      return {};
    },
    'run.pause': () => {
      training.pause();
      return {};
    },
    'run.resume': () => {
      training.resume();
      return {};
    },
    'run.stop': async () => {
      await training.stop();
      return {};
    },
    'run.effort': ({ effort }) => {
      training.setEffort(effort);
      return {};
    },
    'checkpoint.save': ({ store }) => training.save(store),
    'checkpoint.list': async () => ({ checkpoints: await training.keeper.refresh() }),
    'checkpoint.resume': (command) => training.resumeCheckpoint(command),
    'checkpoint.remove': async ({ store, id }) => {
      await training.keeper.remove(store, id);
      return {};
    },
    'checkpoint.fetch': async ({ store, id }) => {
      const bytes = await saving.read(store, id);
      return {
        name: id.replace('/', '-'),
        blob: new Blob([bytes], { type: 'application/octet-stream' }),
      };
    },
    'run.describe': async ({ store, run, name, note }) => {
      await training.keeper.describeRun(store, run, { name, note });
      return {};
    },
    'run.remove': async ({ store, run }) => {
      await training.removeRun(store, run);
      return {};
    },
    'run.inspect': ({ store, run }) => library.inspect(store, run),
    'run.export': ({ store, run }) => library.export(store, run),
    'run.import': ({ file }) => library.import(file),
    'config.offer': ({ config }) => {
      snapshot.update({ offered: config });
      return {};
    },
    'predictions.get': ({ first, count }) => training.predictions(first, count),
    'evaluation.get': () => training.evaluation(),
    'predictions.make': ({ source }) => training.predictOn(source),
    'host.connect': async () => {
      const status = await training.connectHost();
      await training.keeper.refresh();
      return status;
    },
    'host.list': async ({ path }) => ({ path: path ?? '', entries: await listFolder(link, path) }),
    'dialog.open': async ({ kind }) => ({ granted: await dialog.open(kind) }),
    'dialog.close': async () => {
      await dialog.close();
      return {};
    },
    'counters.get': () => training.counters(),
    'notice.dismiss': ({ code }) => {
      snapshot.dismiss(code);
      return {};
    },
  };
}

/** What a granted folder holds; without a path, the granted folders. */
async function listFolder(link: HostLink, path: string | undefined): Promise<HostEntry[]> {
  const entries: HostEntry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < HOST_PAGES; page += 1) {
    const fields = { ...(path && { path }), ...(cursor !== null && { cursor }) };
    const reply: HostReply<'dataset.list'> = await link.request('dataset.list', fields);
    for (const { path: full, kind, size, mtime } of reply.entries) {
      entries.push({
        name: full.slice(full.lastIndexOf('/') + 1),
        path: full,
        kind,
        size,
        modified: mtime,
      });
    }
    cursor = reply.cursor;
    if (cursor === null) break;
  }
  return entries;
}
