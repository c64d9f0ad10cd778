// How things stand with the native host, for the worker that speaks to it and the pages that show it.
import type { DialogKind } from './host.ts';

export type HostLinkState = 'unknown' | 'missing' | 'connected' | 'incompatible' | 'lost';

export interface HostStatus {
  state: HostLinkState;
  version: string | null;
  /** One line for the person: what is missing and what to do, or what installing the host would add. */
  message: string;
  /** Data frames and raw bytes received from the host since the worker began. */
  frames: number;
  bytes: number;
  /** Names of the granted folders. */
  roots: string[];
  /** What the desktop's dialog asks the person for while it is open. */
  dialog: DialogKind | null;
}

export function noHost(): HostStatus {
  const counts = { frames: 0, bytes: 0 };
  return { state: 'unknown', version: null, message: '', ...counts, roots: [], dialog: null };
}
