// A search as a person reads it: how far it is, which settings are tried and which are the best, from the worker's snapshot
// alone.
import {
  bestTrial,
  canContinue,
  isSearching,
  ranked,
  rungDone,
  searchDone,
} from '../messages/search.ts';
import type { Search, SearchRange } from '../messages/search.ts';
import type { RunState } from '../messages/state.ts';
import { partLabel } from './described.ts';
import { formatCount, formatLoss, formatValue } from './format.ts';
import { inLanguage } from './said.ts';
import { counted, t } from '../texts.ts';

type Named = Pick<RunState, 'settings'>;

export interface SearchView {
  title: string;
  /** "Round 1 of 3, up to 3 epochs: 4 of 9 candidates are tried." */
  rung: string;
  /** Done part, 0 to 1. */
  fraction: number;
  /** What is being trained; of which data a search is that may go on. */
  now: string;
  best: string;
  /** Which settings those figures belong to that are shown of a run; '' where that is the best one. */
  shown: string;
}

export function viewSearch(search: Search, state: RunState): SearchView {
  const { outcome, trials, failure } = search;
  const best = bestTrial(search);
  const shown = trials.findIndex(({ run }) => run !== null && run === state.run);
  const searching = isSearching(state);
  return {
    title: t(`search_${outcome}`),
    rung: rungText(search),
    fraction: searchDone(search, searching ? state.progress : null),
    now: nowText(search, state),
    best:
      bestText(search, best, state) ??
      (failure && inLanguage(failure.code, failure.message).text) ??
      '',
    shown:
      searching || shown < 0 || shown === best
        ? ''
        : t('searchShown', valuesText(search, shown, state)),
  };
}

function nowText(search: Search, state: Named): string {
  if (canContinue(search)) return t('labelled', t('data'), search.source.name);
  const training = search.trials.findIndex(({ outcome }) => outcome === 'training');
  return training < 0 ? '' : t('searchNow', valuesText(search, training, state));
}

function rungText(search: Search): string {
  const { rung, rungs, trials, outcome } = search;
  if (outcome === 'completed') {
    const failed = trials.filter((one) => one.outcome === 'failed').length;
    const all = counted('searchTried', trials.length);
    return failed === 0 ? all : `${all} ${counted('searchFailedOnes', failed)}`;
  }
  const { done, of } = rungDone(search);
  const rounds = [formatCount(rung + 1), formatCount(rungs.length)];
  const epochs = formatCount(rungs[rung]?.epochs);
  return t('searchRound', ...rounds, epochs, formatCount(done), formatCount(of));
}

function bestText(search: Search, best: number | null, state: Named): string | null {
  if (best === null) return search.outcome === 'failed' ? null : t('searchNoneYet');
  const key = search.outcome === 'completed' ? 'searchBest' : 'searchBestSoFar';
  return t(key, valuesText(search, best, state), formatLoss(search.trials[best]?.loss));
}

/** As the form calls it now: the search may have been begun in another language. */
function labelOf({ group, field, label }: SearchRange, { settings }: Named): string {
  if (group === 'model') return partLabel(field);
  return settings.find((one) => one.group === group && one.name === field)?.label ?? label;
}

/** "Learning rate 0.003, Hidden 64". */
function valuesText({ ranges, trials }: Search, index: number, state: Named): string {
  const values = trials[index]?.values ?? {};
  const words = ranges.map(
    (range) => `${labelOf(range, state)} ${formatValue(values[range.field])}`,
  );
  return words.join(', ');
}

/** The candidates as a table, the smallest loss first: number and state, then the numbers. */
export function tableOf(search: Search, state: Named): { headings: string[]; rows: string[][] } {
  const { ranges, trials } = search;
  return {
    headings: [
      t('searchCandidate'),
      t('searchOutcome'),
      ...ranges.map((range) => labelOf(range, state)),
      t('searchLoss'),
      t('figureEpoch'),
    ],
    rows: ranked(trials).flatMap((index) => {
      const trial = trials[index];
      if (trial === undefined) return [];
      const { values, loss, epochs, outcome } = trial;
      return [
        [
          formatCount(index + 1),
          t(`candidate_${outcome}`),
          ...ranges.map(({ field }) => formatValue(values[field])),
          formatLoss(loss),
          formatCount(epochs),
        ],
      ];
    }),
  };
}

/** Why candidates have failed. */
export function failuresOf({ trials }: Search): string[] {
  return trials.flatMap(({ failure }, index) => {
    if (failure === null) return [];
    const { text } = inLanguage(failure.code, failure.message);
    return [t('searchFailure', formatCount(index + 1), text)];
  });
}
