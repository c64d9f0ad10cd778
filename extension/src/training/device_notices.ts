// What the core says has happened to a run, such as the loss of its device, as notices and as the device that the run is on.
import type { StepReply } from './core_replies.ts';
import type { Snapshot } from './snapshot.ts';

export function tellNotices(
  snapshot: Snapshot,
  { notices, device }: Pick<StepReply, 'notices' | 'device'>,
): void {
  for (const { code, message } of notices) {
    const lost = code.startsWith('device.');
    snapshot.notice(lost ? 'warning' : 'info', code, message);
    const { choice } = snapshot.state;
    if (device !== snapshot.state.device && choice !== null)
      snapshot.update({ device, choice: { ...choice, device, how: 'lost', detail: message } });
  }
}
