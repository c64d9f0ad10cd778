// The training worker: puts the parts together. It owns data set, session, checkpoints and run state; pages talk to it by
// a BroadcastChannel, its owner brings it the port to the background.
import coreModules from '#core';
import seattleWeather from '#example/seattle-weather.csv';
import { CHANNEL } from '../messages/commands.ts';
import type { RelayPort, ToOwner } from '../messages/relay.ts';
import { isRecord } from '../messages/validate.ts';
import { BrowserStore } from '../storage/browser_store.ts';
import { Datasets } from '../storage/datasets.ts';
import { Runs } from '../storage/runs.ts';
import { Searches } from '../storage/searches.ts';
import { loadCore } from './core.ts';
import { createModule } from './core_module.ts';
import { Desk } from './desk.ts';
import { failureOf } from './errors.ts';
import { fetchColumns } from './host_columns.ts';
import { HostStore } from './host_store.ts';
import { HostLink } from './hostlink.ts';
import { Marks } from './marks.ts';
import { Saving } from './saving.ts';
import { Searching } from './searching.ts';
import { Snapshot } from './snapshot.ts';
import { tellEvictable, tellLack } from './storage_notices.ts';
import { Training } from './training.ts';

declare const self: {
  postMessage: (message: ToOwner) => void;
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
};

const EXAMPLES = { 'seattle-weather.csv': seattleWeather };

const channel = new BroadcastChannel(CHANNEL);
const root = (): Promise<FileSystemDirectoryHandle> => navigator.storage.getDirectory();

const marks = new Marks((mark) => {
  self.postMessage({ type: 'run.mark', mark });
});

const snapshot: Snapshot = new Snapshot((event) => {
  channel.postMessage(event);
  marks.see(event, snapshot.state);
});

const link: HostLink = new HostLink({
  wantPort: () => {
    self.postMessage({ type: 'relay.wanted' });
  },
  changed: () => {
    snapshot.updateSoon({ host: { ...link.status } });
  },
  lost: (message) => {
    training?.hostLost(message);
  },
  back: () => {
    training?.hostBack();
  },
});

const saving = new Saving(
  { host: new HostStore(link), browser: new BrowserStore(root) },
  () => link.connected,
  {
    notice: (level, code, message) => {
      snapshot.notice(level, code, message);
    },
  },
);

let training: Training | null = null;

self.onmessage = ({ data, ports: [port] }) => {
  if (!isRecord(data)) return;
  if (data['type'] === 'storage.evictable') tellEvictable(snapshot);
  if (data['type'] !== 'relay.port' || port === undefined) return;
  link.takePort(port, (data as unknown as RelayPort).version);
};

async function begin(): Promise<void> {
  const core = await loadCore(() =>
    createModule(coreModules, (name, error) => {
      const why = failureOf(error).message;
      const message = `The faster training core ${name} did not start, and a slower one is used: ${why}`;
      snapshot.notice('warning', 'core.slower', message);
    }),
  );
  const room = new Training({
    core,
    link,
    saving,
    runs: new Runs(root),
    datasets: new Datasets(
      root,
      () => navigator.storage.estimate(),
      fetchColumns(link),
      (lack) => {
        tellLack(snapshot, lack);
      },
    ),
    snapshot,
    examples: EXAMPLES,
    busy: (busy) => {
      self.postMessage({ type: 'worker.busy', busy });
    },
  });
  training = room;
  const searching = new Searching(room, snapshot, new Searches(root));
  const desk = new Desk({ training: room, searching, snapshot, saving, link }, (reply) => {
    channel.postMessage(reply);
  });
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    void desk.receive(data);
  };
  self.postMessage({ type: 'worker.ready' });
  try {
    await room.begin();
    await searching.begin();
  } catch (error) {
    snapshot.update({ phase: 'failed', failure: failureOf(error) });
  }
}

begin().catch((error: unknown) => {
  self.postMessage({ type: 'worker.failed', message: failureOf(error).message });
});
