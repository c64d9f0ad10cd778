// The measure that goes with a run's task, of the newest validated epoch: how often a classification is right, how much of
// the differences a regression explains, how far off a forecast is.

import type { RunState } from '../messages/state.ts';
import { t } from '../texts.ts';
import { formatFraction, formatShare, formatValue, missing } from './format.ts';
import { taskNamed } from './tasks.ts';
import type { TaskName } from './tasks.ts';

/** A run that names no task forecasts. */
export function taskOfRun({ config }: Pick<RunState, 'config'>): TaskName {
  return taskNamed(config?.data['task']) ?? 'forecast';
}

export interface Metric {
  label: string;
  /** A dash before the first is known. */
  value: string;
}

export function metricOf(state: Pick<RunState, 'config' | 'history'>): Metric {
  const { epochs } = state.history;
  switch (taskOfRun(state)) {
    case 'classification': {
      const accuracy = epochs.findLast((epoch) => epoch.accuracy !== null)?.accuracy;
      return { label: t('accuracyHeldOut'), value: formatShare(accuracy) };
    }
    case 'regression': {
      const r2 = epochs.findLast((epoch) => epoch.r2 !== null)?.r2;
      return { label: t('r2HeldOut'), value: formatFraction(r2) };
    }
    case 'forecast': {
      const last = epochs.findLast(({ mae }) => mae !== null);
      const value = last === undefined ? missing : formatValue(last.mae);
      return { label: t('meanError'), value };
    }
  }
}
