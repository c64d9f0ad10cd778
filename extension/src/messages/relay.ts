// What the training worker and the background say to each other over their MessagePort, and what the worker and the
// document that owns it say. The background only relays: it turns base64 into buffers and back, and looks at nothing
// else of a host's message.
import type { RunMark } from './run_mark.ts';

/** From the worker. `bytes` of a message to the host is an ArrayBuffer that the background encodes. */
export type ToRelay =
  | { type: 'relay.open' }
  | { type: 'relay.send'; message: Record<string, unknown> }
  | { type: 'relay.close' }
  | { type: 'relay.ping'; number: number };

export type PortEnd = 'missing' | 'forbidden' | 'exited' | 'broken';

export type FromRelay =
  | { type: 'relay.message'; message: unknown }
  | { type: 'relay.closed'; end: PortEnd; message: string }
  | { type: 'relay.pong'; number: number };

/** From the worker to the document that owns it. */
export type ToOwner =
  | { type: 'worker.ready' }
  | { type: 'worker.failed'; message: string }
  /** The worker needs a port to the background, or a new one after silence. */
  | { type: 'relay.wanted' }
  /** Whether something would be lost if this context ended now. */
  | { type: 'worker.busy'; busy: boolean }
  | ToldMark;

/** How the run stands, for the browser's own places. */
export interface ToldMark {
  type: 'run.mark';
  mark: RunMark;
}

/** From the owner to the worker; the port travels with it. */
export interface RelayPort {
  type: 'relay.port';
  /** The extension's version: a worker cannot ask. */
  version: string;
}

/** From the owner to the worker: the browser does not promise to keep what is stored. */
export interface StorageEvictable {
  type: 'storage.evictable';
}

/** From pages and the offscreen document to the background. */
export type ToBackground = { type: 'training.open' } | { type: 'relay.link' } | ToldMark;
/** From the background to the offscreen document: answer when the worker is ready. */
export interface ToOffscreen {
  type: 'training.wait';
}

export type BackgroundAnswer = { ok: true } | { ok: false; code: string; message: string };
