// The run as a person reads it: every figure and which buttons make sense, from the worker's snapshot alone.

import { isSearching, rungDone } from '../messages/search.ts';
import { isActive, keptBest } from '../messages/state.ts';
import type { Search } from '../messages/search.ts';
import type { EpochSummary, Phase, RunState } from '../messages/state.ts';
import { rowSeconds } from './columns.ts';
import { deviceText, preparingText, reasonText } from './device_view.ts';
import { metricOf, taskOfRun } from './metric.ts';
import { Settings } from './settings.ts';
import { isOfTables } from './tasks.ts';
import {
  formatAlike,
  formatBytes,
  formatCount,
  formatDuration,
  formatLoss,
  formatPercent,
  formatRate,
  formatValue,
  LOSS_DIGITS,
} from './format.ts';
import { judge, naivePhrase, seasonPhrase } from './verdict.ts';
import type { Verdict } from './verdict.ts';
import { capital, counted, t } from '../texts.ts';
import type { TextKey } from '../texts.ts';

export type Screen = 'waiting' | 'pick' | 'reading' | 'setup' | 'search' | 'run' | 'result';
export type Tone = 'idle' | 'active' | 'good' | 'warn' | 'bad';

/** What fills the page. A failure goes back to where it can be mended: to the run, the set-up or the picking. */
export function screenOf(state: RunState | null): Screen {
  if (state === null) return 'waiting';
  if (isSearching(state)) return 'search';
  if (isActive(state.phase)) return 'run';
  if (state.phase === 'finished') return 'result';
  if (state.phase === 'reading') return 'reading';
  if (state.phase === 'failed' && (state.progress?.step ?? 0) > 0) return 'result';
  return state.description === null ? 'pick' : 'setup';
}

const phaseTexts: Record<Phase, [TextKey, Tone]> = {
  empty: ['phase_empty', 'idle'],
  reading: ['reading', 'active'],
  ready: ['phase_ready', 'idle'],
  preparing: ['phase_preparing', 'active'],
  training: ['phase_training', 'active'],
  paused: ['phase_paused', 'warn'],
  // Validation lasts a moment after each epoch: a word that flickers would tell nobody anything.
  validating: ['phase_training', 'active'],
  finished: ['phase_finished', 'good'],
  failed: ['phase_failed', 'bad'],
};

export function phaseOf(state: RunState | null): { text: string; tone: Tone } {
  if (state === null) return { text: t('phase_starting'), tone: 'idle' };
  // Between two candidates there is no run for a moment.
  if (isSearching(state) && state.phase !== 'paused')
    return { text: t('phase_searching'), tone: 'active' };
  if (state.phase === 'training' && state.preparing !== null)
    return { text: t('phase_preparing'), tone: 'active' };
  if (state.phase === 'finished' && state.outcome === 'stopped')
    return { text: t('phase_stopped'), tone: 'warn' };
  const [key, tone] = phaseTexts[state.phase];
  return { text: t(key), tone };
}

export function notConnected(): { text: string; tone: Tone } {
  return { text: t('phase_disconnected'), tone: 'bad' };
}

export interface RunView {
  epoch: string;
  step: string;
  loss: string;
  validationLoss: string;
  stepsPerSecond: string;
  timeLeft: string;
  device: string;
  deviceReason: string;
  /** What is prepared before the first step; '' when it is. */
  preparing: string;
  /** "12.3 MB" */
  memory: string;
  parameters: string;
  windows: string;
  /** Done part of all steps, or of what is prepared, 0 to 1; null when unknown. */
  fraction: number | null;
  /** The forecast in words: "temp_max, 7 rows ahead from 30 rows of 4 columns". */
  task: string;
  can: { pause: boolean; resume: boolean; stop: boolean; save: boolean };
}

export function viewRun(state: RunState): RunView {
  const { progress, phase } = state;
  const last = lastEpoch(state);
  const ended = !isActive(phase);
  return {
    epoch: epochText(state),
    step: formatCount(progress?.step),
    loss: formatLoss(progress?.trainLoss ?? last?.trainLoss),
    validationLoss: formatLoss(lastValidation(state)),
    stepsPerSecond: formatRate(progress?.stepsPerSecond ?? last?.stepsPerSecond),
    timeLeft: ended ? '–' : formatDuration(progress?.secondsLeft),
    device: deviceText(state.device, state.webgl?.software ?? false),
    deviceReason: reasonText(state.choice),
    preparing:
      state.preparing !== null || phase === 'preparing' ? preparingText(state.preparing) : '',
    memory: formatBytes(progress?.peakBytes),
    parameters: formatCount(state.parameters),
    windows: windowText(state),
    fraction: fractionDone(state),
    task: taskText(state),
    can: {
      pause: phase === 'training' || phase === 'validating',
      resume: phase === 'paused',
      stop: isActive(phase) && (phase !== 'preparing' || state.preparing?.what === 'rows'),
      save:
        phase === 'training' ||
        phase === 'paused' ||
        phase === 'validating' ||
        phase === 'finished',
    },
  };
}

/** The epoch being trained, counted from 1, of how many: "3 of 20". */
function epochText({ progress, phase }: RunState): string {
  if (progress === null) return '–';
  const { epoch, epochs } = progress;
  const current = phase === 'finished' || phase === 'failed' ? epoch : Math.min(epoch + 1, epochs);
  return t('partOf', formatCount(current), formatCount(epochs));
}

function fractionDone({ progress, phase, outcome, preparing }: RunState): number | null {
  if (preparing !== null) return preparing.total > 0 ? preparing.done / preparing.total : null;
  if (phase === 'finished' && outcome === 'completed') return 1;
  if (progress === null || progress.stepsPerEpoch <= 0 || progress.epochs <= 0) return null;
  const done = progress.epoch + progress.stepInEpoch / progress.stepsPerEpoch;
  return Math.min(1, Math.max(0, done / progress.epochs));
}

function windowText({ windows }: RunState): string {
  if (windows === null) return '–';
  const { train, validation, skipped } = windows;
  const used = t('windowsUsed', formatCount(train), formatCount(validation));
  return skipped > 0 ? t('windowsSkipped', used, formatCount(skipped)) : used;
}

function taskText({ config }: RunState): string {
  if (config === null) return '';
  const { target, features, horizon, lookBack } = config.data;
  const columns = counted('columns', features.length);
  if (isOfTables(taskOfRun({ config }))) return t('taskPlain', target, columns);
  if (typeof horizon !== 'number' || typeof lookBack !== 'number')
    return t('taskPlain', target, columns);
  return t('task', target, counted('rows', horizon), counted('rows', lookBack), columns);
}

function lastEpoch(state: RunState): EpochSummary | null {
  const { epochs } = state.history;
  return epochs[epochs.length - 1] ?? null;
}

/** The newest validation loss; an epoch that is still being validated has none yet. */
function lastValidation(state: RunState): number | null {
  return validated(state)?.validationLoss ?? null;
}

/** A completed run that kept its best weights has ended with them. */
function validated(state: RunState): EpochSummary | null {
  const { epochs } = state.history;
  const best = keptBest(state)?.epoch;
  return (
    epochs.find(({ epoch }) => epoch === best) ??
    epochs.findLast((epoch) => epoch.validationLoss !== null) ??
    null
  );
}

/** The epoch with the lowest validation loss, when the newest one is more than five percent above it. */
function peakOf(epochs: readonly EpochSummary[]): { epoch: number; loss: number } | null {
  const known = epochs.flatMap(({ epoch, validationLoss: loss }) =>
    loss !== null && Number.isFinite(loss) ? [{ epoch, loss }] : [],
  );
  const newest = known.at(-1);
  if (newest === undefined) return null;
  const best = known.reduce((low, point) => (point.loss < low.loss ? point : low), newest);
  return newest.loss > best.loss * 1.05 ? best : null;
}

export interface LossBar {
  key: 'own' | 'naive' | 'seasonal';
  label: string;
  value: number;
  text: string;
  /** Length beside the longest, 0 to 1. */
  share: number;
}

export interface ResultView {
  verdict: Verdict;
  bars: LossBar[];
  /** "Off by 2.31 on average (RMSE 3.02), in the units of temp_max." */
  errors: string | null;
}

export function viewResult(state: RunState): ResultView {
  const last = validated(state);
  const spacing = state.description === null ? null : rowSeconds(state.description);
  const { baselines } = state;
  const season = baselines?.season ?? 0;
  const verdict = judge({
    loss: last?.validationLoss ?? null,
    lossName: new Settings(state.settings).label('loss', state.config?.training['loss']),
    baselines:
      baselines === null
        ? null
        : {
            naive: baselines.naive,
            seasonalNaive: season > 0 ? baselines.seasonalNaive : null,
            season,
          },
    rowSeconds: spacing,
    peak: keptBest(state) !== null ? null : peakOf(state.history.epochs),
  });
  const rivals: [LossBar['key'], string, number | null | undefined][] = [
    ['own', t('thisModel'), last?.validationLoss],
    ['naive', capital(naivePhrase()), baselines?.naive],
    [
      'seasonal',
      capital(seasonPhrase(season, spacing)),
      season > 0 ? baselines?.seasonalNaive : null,
    ],
  ];
  return {
    verdict,
    bars: barsOf(rivals),
    errors: errorText(last, state.config?.data.target ?? ''),
  };
}

function barsOf(rivals: [LossBar['key'], string, number | null | undefined][]): LossBar[] {
  const known = rivals.flatMap(([key, label, value]) =>
    typeof value === 'number' && Number.isFinite(value) ? [{ key, label, value }] : [],
  );
  const longest = Math.max(...known.map(({ value }) => value), Number.MIN_VALUE);
  const texts = formatAlike(
    known.map(({ value }) => value),
    LOSS_DIGITS,
  );
  return known.map((bar, i) => ({
    ...bar,
    text: texts[i] ?? '',
    share: Math.max(0, bar.value / longest),
  }));
}

function errorText(last: EpochSummary | null, target: string): string | null {
  if (last?.mae == null) return null;
  const [mae, rmse] = [formatValue(last.mae), formatValue(last.rmse)];
  return last.rmse === null ? t('offBy', mae, target) : t('offByRmse', mae, target, rmse);
}

/** One sentence for a screen reader; changes at most once an epoch. */
export function announcement(state: RunState | null): string {
  if (state === null) return t('starting');
  const { text } = phaseOf(state);
  const last = lastEpoch(state);
  if (state.phase === 'reading') return t('sayReading');
  if (state.search !== null && isSearching(state)) return searchAnnouncement(state.search);
  if (state.phase === 'finished') return t('sayFinished', text, outcomeOf(state));
  if (!isActive(state.phase) || last === null) return t('sayPhase', text);
  const done = formatPercent(
    fractionDone({ ...state, progress: state.progress && { ...state.progress, stepInEpoch: 0 } }),
  );
  const loss = formatLoss(last.validationLoss);
  return t('sayEpoch', text, formatCount(last.epoch), done, loss);
}

function searchAnnouncement(search: Search): string {
  const { done, of } = rungDone(search);
  const rounds = [formatCount(search.rung + 1), formatCount(search.rungs.length)];
  return t('saySearch', ...rounds, formatCount(done), formatCount(of));
}

/** What a table's model is worth is measured after its run; its measure is known at once. */
function outcomeOf(state: RunState): string {
  if (!isOfTables(taskOfRun(state))) return viewResult(state).verdict.sentence;
  const { label, value } = metricOf(state);
  return t('labelled', label, value);
}
