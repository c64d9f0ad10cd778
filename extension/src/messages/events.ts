// What the training worker tells every page on the channel: the whole state, progress as an increment, notices.
// Pages get them merged by the client; `applyEvent` is that merge.
import { addNotice, appendLosses } from './state.ts';
import type { Notice, Progress, RunState } from './state.ts';
import { isRecord } from './validate.ts';

export interface StateEvent {
  kind: 'event';
  type: 'state';
  revision: number;
  state: RunState;
}

export interface ProgressEvent {
  kind: 'event';
  type: 'train.progress';
  revision: number;
  progress: Progress;
  /** Losses since the last one, as [step, loss]. */
  losses: [number, number][];
}

export interface NoticeEvent {
  kind: 'event';
  type: 'notice';
  revision: number;
  notice: Notice;
}

export type TrainingEvent = StateEvent | ProgressEvent | NoticeEvent;

/** The worker is of the same build and origin, so the envelope is checked and the content trusted. */
export function checkEvent(value: unknown): TrainingEvent | null {
  if (!isRecord(value) || value['kind'] !== 'event' || typeof value['revision'] !== 'number')
    return null;
  const content = { state: 'state', 'train.progress': 'progress', notice: 'notice' }[
    String(value['type'])
  ];
  if (content === undefined || !isRecord(value[content])) return null;
  return value as unknown as TrainingEvent;
}

/** The state after the event, or null when one before it was missed and the whole state must be asked for. */
export function applyEvent(state: RunState | null, event: TrainingEvent): RunState | null {
  if (event.type === 'state') return event.state;
  if (state === null || event.revision !== state.revision + 1) return null;
  if (event.type === 'notice') {
    const notices = addNotice(state.notices, event.notice);
    return { ...state, revision: event.revision, notices };
  }
  appendLosses(state.history, event.losses);
  return { ...state, revision: event.revision, progress: event.progress };
}
