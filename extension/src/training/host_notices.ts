// What a person is told when the native host goes away during a session, and when it is back.
import type { Snapshot } from './snapshot.ts';

export function tellLost(snapshot: Snapshot, message: string, training: boolean): void {
  const goesOn = training
    ? ' Training goes on; checkpoints go to the browser until the host is back.'
    : '';
  snapshot.notice('warning', 'host.lost', message + goesOn);
}

export function tellBack(snapshot: Snapshot): void {
  snapshot.dismiss('host.lost');
  const message = 'The native host is back; checkpoints go to its folder again.';
  snapshot.notice('info', 'host.back', message);
}
