// What lies between "Train" and the first step: the race for a device, driven turn by turn, so that commands are answered
// and pages see how far it is.
import type { Preparing } from '../messages/state.ts';
import type { Core } from './core.ts';
import type { SessionInfo, SessionStart } from './core_replies.ts';
import { Loop } from './loop.ts';

/** The session, once its race is decided. A race that fails is closed. */
export async function raced(
  core: Core,
  start: SessionStart,
  tell: (preparing: Preparing) => void,
): Promise<SessionInfo> {
  if (start.info !== null) return start.info;
  tell({ what: 'race', done: start.racing, total: 1 });
  try {
    return await lastTurn(() => {
      const { racing, info } = core.sessionRace(start.session);
      if (info === null) tell({ what: 'race', done: racing, total: 1 });
      return info;
    });
  } catch (error) {
    core.sessionClose(start.session);
    throw error;
  }
}

/** What the first turn that has something gives. */
function lastTurn<T>(turn: () => T | null): Promise<T> {
  return new Promise((resolve, reject) => {
    const loop = new Loop(() => {
      try {
        const result = turn();
        if (result === null) return 0;
        resolve(result);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
      loop.close();
      return null;
    });
    loop.start();
  });
}

/** Lets messages that were posted before the core's long call reach their readers. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
