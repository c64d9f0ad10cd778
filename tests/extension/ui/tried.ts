// States of a page whose form's first choices have been tried: what pages find there by the configuration's key.
import type { RunConfig, RunState } from '../../../extension/src/messages/state.ts';
import type { Trial } from '../../../extension/src/messages/trial.ts';
import { trialKey } from '../../../extension/src/messages/trial.ts';
import { defaultChoices, toRunConfig } from '../../../extension/src/ui/choices.ts';
import { onThisMachine, Settings } from '../../../extension/src/ui/settings.ts';

export const measured = {
  device: 'cpu' as const,
  parameters: 5000,
  peakBytes: 3_200_000,
  stepsPerEpoch: 36,
  epochs: 20,
  step: 10,
  steps: 42,
  secondsPerEpoch: 4,
};

export function trialFor(config: RunConfig, trial: Partial<Trial>): Trial {
  const none = { outcome: 'measured' as const, measured: null, failure: null };
  return { key: trialKey(config), ...none, ...trial };
}

/** The trial of the first choices, and of the same with other values of the model's fields. */
export function triedState(
  state: RunState,
  trial: Partial<Trial>,
  others: { fields: Record<string, number>; trial: Partial<Trial> }[] = [],
): RunState {
  if (state.description === null) return state;
  const choices = defaultChoices(state.description, state.models);
  const config = toRunConfig(choices, new Settings(onThisMachine(state)));
  const beside = others.map(({ fields, trial: other }) =>
    trialFor({ ...config, model: { ...config.model, ...fields } }, other),
  );
  return { ...state, trials: [trialFor(config, trial), ...beside] };
}
