// Forecasts beside the truth on the held-out part, in the data's own units. The first windows come with the state; the
// others are asked of the worker, a bounded number at a time, again after each epoch.

import type { Predictions, RunState } from '../messages/state.ts';
import { Chart } from './chart.ts';
import { TABLE_ROWS } from './chart_table.ts';
import type { ChartNumbers } from './chart_table.ts';
import { calendarOf } from './columns.ts';
import type { Calendar } from './columns.ts';
import { make, on, setHidden, setOptions, setText } from './dom.ts';
import { formatCount, formatMomentUtc, formatValue } from './format.ts';
import { reasonOf } from './page.ts';
import type { Actions } from './page.ts';
import { inLanguage } from './said.ts';
import { predictionSeries, shownError } from './series.ts';
import type { PredictionSeries } from './series.ts';
import { once, testIds } from './testids.ts';
import { capital, counted, t } from '../texts.ts';

const windowsAtATime = 400;

export class PredictionChart {
  readonly element: HTMLElement;
  readonly #actions: Actions;
  readonly #chart: Chart;
  readonly #ahead = make('select', {
    'aria-label': t('rowsAheadLabel'),
    ...once(testIds.horizonStep),
  });
  readonly #range = make('select', { 'aria-label': t('partShown'), ...once(testIds.windowRange) });
  readonly #none = make('p', { class: 'muted small' }, t('afterFirstEpoch'));
  readonly #error = make('p', { class: 'muted small' });
  readonly #shown: HTMLElement;
  readonly #controls: HTMLElement;
  #predictions: Predictions | null = null;
  #key = '';
  #asking = false;
  #state: RunState | null = null;
  #calendar: Calendar | null = null;
  #first = 0;

  constructor(actions: Actions, height: number) {
    this.#actions = actions;
    this.#chart = new Chart({
      name: testIds.predictionChart,
      height,
      xLabel: t('row'),
      yLabel: '',
      wholeX: true,
      describeX: (row) => this.#describeRow(row),
      curves: [
        { label: capital(t('truth')), color: '--truth', width: 1.5 },
        { label: capital(t('forecast')), color: '--validation', width: 1.75 },
      ],
    });
    on(this.#ahead, 'change', () => {
      this.#draw();
    });
    on(this.#range, 'change', () => {
      this.#first = Number(this.#range.value);
      this.#key = '';
      if (this.#first === 0) this.#show(this.#state?.predictions ?? null);
      this.#ask();
    });
    this.#shown = make('div', { class: 'stack', hidden: true }, this.#chart.element, this.#error);
    this.#controls = make('div', { class: 'row controls' }, this.#ahead, this.#range);
    const head = make(
      'div',
      { class: 'row spread wrap' },
      make('h2', {}, t('forecastHeldOut')),
      this.#controls,
    );
    this.element = make(
      'section',
      { class: 'card', 'aria-label': t('forecastAndTruth') },
      head,
      this.#none,
      this.#shown,
    );
  }

  update(state: RunState): void {
    this.#state = state;
    this.#calendar = state.description === null ? null : calendarOf(state.description);
    const usable = state.predictions !== null;
    setHidden(this.#none, usable);
    setHidden(this.#shown, !usable);
    setHidden(this.#controls, !usable);
    if (!usable) this.#first = 0;
    if (this.#first === 0) this.#show(state.predictions);
    else this.#ask();
  }

  /** Another part than the first: one question at a time, and only when the model has changed since. */
  #ask(): void {
    const state = this.#state;
    if (state === null || this.#asking || this.#first === 0) return;
    const key = JSON.stringify([
      this.#first,
      state.history.epochs.length,
      state.phase === 'finished',
    ]);
    if (key === this.#key) return;
    this.#key = key;
    this.#asking = true;
    void this.#fetch(this.#first).finally(() => {
      this.#asking = false;
      this.#ask();
    });
  }

  async #fetch(first: number): Promise<void> {
    try {
      const command = { type: 'predictions.get', first, count: windowsAtATime } as const;
      const predictions = await this.#actions.ask(command);
      if (this.#first === first) this.#show(predictions);
    } catch (error) {
      const { code, message } = reasonOf(error);
      const said = inLanguage(code, message);
      setText(this.#error, t('noForecasts', said.text));
    }
  }

  #show(predictions: Predictions | null): void {
    if (predictions === null || predictions === this.#predictions) return;
    this.#predictions = predictions;
    this.#draw();
  }

  #draw(): void {
    const predictions = this.#predictions;
    if (predictions === null) return;
    const { horizon, total } = predictions;
    const aheads = Array.from({ length: horizon }, (_, i) => ({
      value: String(i + 1),
      label: counted('rowsAhead', i + 1),
    }));
    setOptions(
      this.#ahead,
      aheads,
      Number(this.#ahead.value) <= horizon ? this.#ahead.value || '1' : '1',
    );
    setOptions(this.#range, rangesOf(total), String(this.#first));
    setHidden(this.#range, total <= windowsAtATime);
    const series = predictionSeries(predictions, Number(this.#ahead.value));
    const error = shownError(series);
    const target = this.#state?.config?.data.target ?? t('theTarget');
    const text = t('shownError', formatValue(error), target);
    setText(this.#error, text);
    this.#chart.show(
      [series.x, series.truth, series.forecast],
      t('forecastSummary', target, text),
      () => numbersOf(series),
    );
  }

  #describeRow(row: number): string {
    const calendar = this.#calendar;
    const number = formatCount(row);
    if (calendar?.regular !== true) return t('rowNumber', number);
    const moment = calendar.first + (row - 1) * calendar.stepSeconds * 1000;
    return t('rowAt', number, formatMomentUtc(moment));
  }
}

function numbersOf({ x, truth, forecast }: PredictionSeries): ChartNumbers {
  const rows = x
    .slice(0, TABLE_ROWS)
    .map((row, i) => [formatCount(row), formatValue(truth[i]), formatValue(forecast[i])]);
  return { headings: [t('row'), t('truth'), t('forecast')].map(capital), rows };
}

function rangesOf(total: number): { value: string; label: string }[] {
  return Array.from({ length: Math.ceil(total / windowsAtATime) }, (_, i) => {
    const first = i * windowsAtATime;
    const last = Math.min(total, first + windowsAtATime);
    return {
      value: String(first),
      label: t('windowsFromTo', formatCount(first + 1), formatCount(last)),
    };
  });
}
