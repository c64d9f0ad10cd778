// The worker's parts put together as worker.ts does, with a fake core, a fake disk and a fake host, and a page that
// merges every event: what tests of runs talk to.
import type { Command, Reply } from '../../../extension/src/messages/commands.ts';
import { applyEvent } from '../../../extension/src/messages/events.ts';
import type { TrainingEvent } from '../../../extension/src/messages/events.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { BrowserStore } from '../../../extension/src/storage/browser_store.ts';
import { Datasets } from '../../../extension/src/storage/datasets.ts';
import { Runs } from '../../../extension/src/storage/runs.ts';
import { Searches } from '../../../extension/src/storage/searches.ts';
import { Desk } from '../../../extension/src/training/desk.ts';
import { HostLink } from '../../../extension/src/training/hostlink.ts';
import { fetchColumns } from '../../../extension/src/training/host_columns.ts';
import { HostStore } from '../../../extension/src/training/host_store.ts';
import { Saving } from '../../../extension/src/training/saving.ts';
import { Searching } from '../../../extension/src/training/searching.ts';
import { Snapshot } from '../../../extension/src/training/snapshot.ts';
import { tellLack } from '../../../extension/src/training/storage_notices.ts';
import { Training } from '../../../extension/src/training/training.ts';
import { FakeCore } from '../fake_core.ts';
import { FakeFolder } from '../fake_opfs.ts';
import { FakeHost } from './fake_host.ts';

export const CSV = 'a,b\n1,2\n3,4\n';
export const config = {
  model: { name: 'lstm' },
  data: { features: ['a'], target: 'a' },
  training: { epochs: 3 },
};
export const example = {
  type: 'dataset.open',
  source: { kind: 'example', name: 'x.csv' },
} as const;

export class Room {
  readonly core = new FakeCore();
  readonly disk = new FakeFolder();
  readonly host = new FakeHost();
  readonly busy: boolean[] = [];
  readonly phases: string[] = [];
  /** What a page that attached at the start has merged. */
  page: RunState | null = null;
  /** Of each event, once the page has it. */
  heard: (event: TrainingEvent, page: RunState | null) => void = () => undefined;
  /** What the browser says of its room. */
  estimate = (): { quota?: number; usage?: number } => ({
    quota: this.disk.disk.free,
    usage: 0,
  });
  readonly #replies = new Map<string, (reply: Reply) => void>();
  readonly #desk: Desk;
  readonly link: HostLink;
  readonly training: Training;
  readonly searching: Searching;
  #ids = 0;

  constructor(disk?: FakeFolder) {
    if (disk !== undefined) this.disk = disk;
    const snapshot = new Snapshot((event) => {
      this.#see(structuredClone(event));
    });
    const root = async (): Promise<FileSystemDirectoryHandle> => this.disk.asHandle();
    this.link = new HostLink({
      wantPort: () => {
        this.host.link((port) => {
          this.link.takePort(port, '0.1.0');
        });
      },
      changed: () => {
        snapshot.updateSoon({ host: { ...this.link.status } });
      },
      lost: (message) => {
        this.training.hostLost(message);
      },
      back: () => {
        this.training.hostBack();
      },
    });
    const stores = {
      host: new HostStore(this.link),
      browser: new BrowserStore(root),
    };
    const saving = new Saving(stores, () => this.link.connected, {
      notice: (level, code, message) => {
        snapshot.notice(level, code, message);
      },
    });
    this.training = new Training({
      core: this.core,
      link: this.link,
      saving,
      runs: new Runs(root),
      datasets: new Datasets(
        root,
        async () => this.estimate(),
        fetchColumns(this.link, 1),
        (lack) => {
          tellLack(snapshot, lack);
        },
      ),
      snapshot,
      examples: { 'x.csv': CSV },
      busy: (busy) => this.busy.push(busy),
    });
    this.searching = new Searching(this.training, snapshot, new Searches(root));
    this.#desk = new Desk(
      { training: this.training, searching: this.searching, snapshot, saving, link: this.link },
      (reply) => {
        this.#replies.get(reply.id)?.(structuredClone(reply));
      },
    );
  }

  /** The page's call; the reply as it is. */
  ask(command: Command | object, id = `id${String((this.#ids += 1))}`): Promise<Reply> {
    return new Promise((resolve) => {
      this.#replies.set(id, resolve);
      void this.#desk.receive({ kind: 'request', id, command });
    });
  }

  /** The result of a call that must succeed. */
  async do(command: Command): Promise<unknown> {
    const reply = await this.ask(command);
    if (!reply.ok) throw new Error(`${command.type}: ${reply.code}: ${reply.message}`);
    return reply.result;
  }

  async until(condition: (state: RunState) => boolean): Promise<RunState> {
    for (;;) {
      const state = (await this.do({ type: 'state.get' })) as RunState;
      if (condition(state)) return state;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  finished(): Promise<RunState> {
    return this.until(
      ({ phase, lastRun, progress, checkpoints }) =>
        phase === 'finished' &&
        lastRun?.step === progress?.step &&
        checkpoints.some(({ id }) => id === lastRun?.checkpoint.id),
    );
  }

  /** One whose worker has begun, without a native host. */
  static async begun(disk?: FakeFolder): Promise<Room> {
    const room = new Room(disk);
    room.noHost();
    await room.training.begin();
    await room.searching.begin();
    return room;
  }

  noHost(): void {
    this.host.onRequest = () => {
      this.host.tell({
        type: 'relay.closed',
        end: 'missing',
        message: 'not found',
      });
    };
  }

  checkpoints(): string[] {
    const runs = [...(this.disk.folders.get('checkpoints')?.folders.values() ?? [])];
    return runs.flatMap(({ name, files }) => [...files.keys()].map((file) => `${name}/${file}`));
  }

  #see(event: TrainingEvent): void {
    this.page = applyEvent(this.page, event);
    const phase = this.page?.phase;
    if (phase !== undefined && phase !== this.phases.at(-1)) this.phases.push(phase);
    this.heard(event, this.page);
  }
}
