// A trial: a few real steps of a configuration before anyone presses Train, so that a person knows beforehand what the
// run will take. The training worker makes it and throws it away; pages find theirs by the configuration's key.
import type { DeviceName, Failure, RunConfig } from './state.ts';

/** 'unfit': the memory does not hold it. 'cancelled': a person, or something more important, called it off. */
export type TrialOutcome = 'measuring' | 'measured' | 'unfit' | 'failed' | 'cancelled';

export interface Trial {
  key: string;
  outcome: TrialOutcome;
  /** Once it is measured. */
  measured: Measured | null;
  failure: Failure | null;
}

export interface Measured {
  device: DeviceName;
  parameters: number;
  /** Most bytes of the device's memory in a step or in validation. */
  peakBytes: number;
  stepsPerEpoch: number;
  epochs: number;
  /** Milliseconds. */
  step: number;
  /** Steps that were timed. */
  steps: number;
  /** Of training and validation, with the rests that the run's effort has. */
  secondsPerEpoch: number;
}

/** The same for two configurations that mean the same, in whichever order their fields stand. */
export function trialKey(config: RunConfig): string {
  return JSON.stringify(config, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

export function trialOf(trials: readonly Trial[], key: string): Trial | null {
  return trials.find((trial) => trial.key === key) ?? null;
}
