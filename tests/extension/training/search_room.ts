// A search in the room of a worker: what is searched for, what is counted meanwhile, and how it is held in its midst.
import type { CommandOf } from '../../../extension/src/messages/commands.ts';
import type { Search, SearchRange } from '../../../extension/src/messages/search.ts';
import type { RunConfig, RunState } from '../../../extension/src/messages/state.ts';
import { config as small } from './room.ts';
import type { Room } from './room.ts';

export const config: RunConfig = { ...small, training: { epochs: 9, seed: 5 } };
const rate: SearchRange = {
  kind: 'log',
  group: 'training',
  field: 'learningRate',
  label: 'Learning rate',
  now: 0.001,
  least: 0.0001,
  most: 1,
};
export const start: CommandOf<'search.start'> = {
  type: 'search.start',
  config,
  ranges: [rate],
  trials: 9,
};
export const rateOf = ({ training }: RunConfig): number => Number(training['learningRate']);

export interface Tally {
  /** Configurations of the runs that were begun, not gone on with. */
  begun: RunConfig[];
  /** That were made, of all runs together. */
  epochs: number;
}

/** The best learning rate is 0.1, and all runs get better with their steps. */
export function watch({ core }: Room): Tally {
  const tally: Tally = { begun: [], epochs: 0 };
  const create = core.sessionCreate.bind(core);
  core.sessionCreate = (dataset, given) => {
    tally.begun.push(given);
    return create(dataset, given);
  };
  const next = core.sessionNextEpoch.bind(core);
  core.sessionNextEpoch = (session) => {
    tally.epochs += 1;
    return next(session);
  };
  core.validationLoss = (step, given) => Math.abs(Math.log10(rateOf(given)) + 1) + 1 / step;
  return tally;
}

export async function ended(room: Room): Promise<Search> {
  const { search } = await room.until(
    ({ search: now }) => now !== null && now.outcome !== 'running',
  );
  return search!;
}

/** A candidate comes no further than the middle of the second rung's first epoch until it is let go. */
export function held(room: Room): { reached: () => Promise<RunState>; letGo: () => void } {
  const step = room.core.sessionStep.bind(room.core);
  let holds = true;
  room.core.sessionStep = (session, most) => {
    const { epoch, stepInEpoch } = room.core.sessions.get(session)!;
    if (!holds || epoch !== 1) return step(session, most);
    return step(session, Math.min(most, Math.max(0, 5 - stepInEpoch)));
  };
  return {
    reached: () =>
      room.until(
        ({ search, phase, progress }) =>
          search?.rung === 1 && phase === 'training' && progress?.stepInEpoch === 5,
      ),
    letGo: () => {
      holds = false;
    },
  };
}
