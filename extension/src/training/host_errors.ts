// What a person reads when the native host is missing, refuses, ends, or speaks another version.
import type { PortEnd } from '../messages/relay.ts';
import type { HostLinkState } from '../messages/host_status.ts';
import { TrainingError } from './errors.ts';

/** Failures of the link to the host, or of the host itself with its own code. */
export class HostError extends TrainingError {}

export const MISSING =
  'No native host is installed. Installing it adds picking files from folders that you grant, and checkpoints kept as files on disk.';

export const RENEWED =
  'The native host started anew, because what it may read has changed, and ended what was open. Try that again.';

const DOCTOR = 'Run "shadegrad-host doctor" to see why, then reconnect.';

/** The state and the sentence after a port ended, before or after the host had answered. */
export function endOf(
  end: PortEnd,
  detail: string,
  greeted: boolean,
): { state: HostLinkState; message: string } {
  if (end === 'missing') return { state: 'missing', message: MISSING };
  if (end === 'forbidden') {
    const message =
      'The native host does not allow this extension. Run "shadegrad-host install" again, then reconnect.';
    return { state: 'missing', message };
  }
  if (end === 'broken') {
    return { state: 'lost', message: `The link to the native host broke: ${detail} ${DOCTOR}` };
  }
  const when = greeted ? 'ended' : 'ended before it answered';
  return { state: 'lost', message: `The native host ${when}. ${DOCTOR}` };
}

/** Which of the two to update, when they share no version of the protocol. */
export function incompatible(update: 'host' | 'extension' | undefined, detail: string): string {
  if (update === undefined)
    return `The native host and this extension do not understand each other: ${detail}`;
  const other = update === 'host' ? 'The native host is older' : 'The native host is newer';
  const what = update === 'host' ? 'the native host' : 'the extension';
  return `${other} than this extension can speak with: update ${what}. (${detail})`;
}
