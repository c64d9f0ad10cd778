// What lies between "Train" and the first step: the rows that the session needs and the race for a device, driven turn by
// turn, so that commands are answered and pages see how far it is.
import type { Core } from './core.ts';
import type { SessionInfo, SessionStart } from './core_replies.ts';
import { Loop } from './loop.ts';
import { feed } from './rows.ts';
import type { Feeding } from './rows.ts';

/** The session, once its rows are there and its race is decided. One that fails is closed. */
export async function raced(
  core: Core,
  start: SessionStart,
  feeding: Feeding,
): Promise<SessionInfo> {
  const { session } = start;
  let now = start;
  try {
    while (now.info === null) {
      now = (now.needs && (await feed(core, session, now.needs, feeding))) ?? now;
      if (now.info === null) now = await race(core, now, feeding);
    }
    return now.info;
  } catch (error) {
    core.sessionClose(session);
    throw error;
  }
}

/** Until it is decided, or waits for rows. */
function race(core: Core, start: SessionStart, { tell, signal }: Feeding): Promise<SessionStart> {
  const show = ({ racing }: SessionStart): void => {
    tell({ what: 'race', done: racing ?? 0, total: 1 });
  };
  show(start);
  return lastTurn(() => {
    signal.throwIfAborted();
    const turn = core.sessionRace(start.session);
    if (turn.info !== null || turn.needs !== null) return turn;
    show(turn);
    return null;
  });
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

/** What `idOf` refuses has no use for its session. */
export function closingOnFailure(
  core: Core,
  info: SessionInfo,
  idOf: (info: SessionInfo) => string,
): string {
  try {
    return idOf(info);
  } catch (error) {
    core.sessionClose(info.session);
    throw error;
  }
}
