// Checkpoints in the native host's folder: ordinary files that the person can copy. Sent in pieces with as many
// unanswered as the host allows; the host makes the file visible at the commit, whole.
import { WRITE_BYTES } from '../messages/host.ts';
import type { HostReply } from '../messages/host.ts';
import type { CheckpointEntry, StoredRun } from '../messages/state.ts';
import type { CheckpointStore, RunWords, Stored } from '../storage/checkpoint_store.ts';
import { summaryOf } from '../storage/summary.ts';
import type { HostLink } from './hostlink.ts';

const COMMIT_MS = 60_000;
const PAGES = 100;
/** More than the core, which has 2 GB of memory for the file and all that it makes of it, could ever load. */
const LARGEST_READ = 2 ** 30;

export class HostStore implements CheckpointStore {
  readonly name = 'host';
  readonly #link: HostLink;

  constructor(link: HostLink) {
    this.#link = link;
  }

  async list(): Promise<CheckpointEntry[]> {
    const pages = await this.#pages('checkpoint.list');
    return pages.flatMap(({ checkpoints }) => checkpoints.map(entryOf));
  }

  async runs(): Promise<StoredRun[]> {
    const pages = await this.#pages('run.list');
    return pages.flatMap(({ runs }) =>
      runs.map(({ run, name, note, reason }) => ({
        ...{ store: 'host' as const, run, name, note },
        reason: reason ?? null,
      })),
    );
  }

  async #pages<T extends 'checkpoint.list' | 'run.list'>(type: T): Promise<HostReply<T>[]> {
    const replies: HostReply<T>[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < PAGES; page += 1) {
      const fields: { cursor?: string } = cursor === null ? {} : { cursor };
      const reply: HostReply<T> = await this.#link.request(type, fields);
      replies.push(reply);
      cursor = reply.cursor;
      if (cursor === null) break;
    }
    return replies;
  }

  async save(id: string, bytes: Uint8Array<ArrayBuffer>): Promise<Stored> {
    const { handle, window } = await this.#link.request('checkpoint.begin', {
      name: id,
      size: bytes.length,
    });
    try {
      await this.#write(handle, window, bytes);
      const commit = this.#link.request('checkpoint.commit', { handle }, COMMIT_MS);
      const { size, mtime } = await commit;
      return { size, time: mtime };
    } catch (error) {
      // After most failures the host has let go of it already; a second word does no harm.
      if (this.#link.connected)
        void this.#link.request('checkpoint.abort', { handle }).catch(() => undefined);
      throw error;
    }
  }

  async #write(handle: number, window: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const open: Promise<unknown>[] = [];
    for (let at = 0, sequence = 0; at < bytes.length; at += WRITE_BYTES, sequence += 1) {
      if (open.length >= window) await open.shift();
      const piece = bytes.slice(at, at + WRITE_BYTES).buffer;
      const write = this.#link.request('checkpoint.write', { handle, sequence, bytes: piece });
      // A failure is thrown where it is awaited; until then it must not count as unhandled.
      write.catch(() => undefined);
      open.push(write);
    }
    await Promise.all(open);
  }

  async read(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const { reply, chunks } = await this.#link.read(
      'checkpoint.read',
      { name: id },
      id,
      LARGEST_READ,
    );
    const bytes = new Uint8Array(reply.size);
    let at = 0;
    for await (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  async remove(id: string): Promise<void> {
    await this.#link.request('checkpoint.remove', { name: id });
  }

  async describeRun(run: string, { name, note }: RunWords): Promise<void> {
    await this.#link.request('run.describe', { run, name, note });
  }

  async removeRun(run: string): Promise<void> {
    await this.#link.request('run.remove', { run });
  }
}

function entryOf(stored: HostReply<'checkpoint.list'>['checkpoints'][number]): CheckpointEntry {
  const { name, size, mtime, ok, metadata, reason } = stored;
  return {
    id: name,
    store: 'host',
    size,
    time: mtime,
    ...summaryOf(metadata ?? {}),
    ok,
    reason: reason ?? null,
  };
}
