// The loss curves of a run over its epochs: single steps faintly, each epoch's training and validation loss, and the
// level of the best forecast that needs no training.

import type { RunState } from '../messages/state.ts';
import { Chart } from './chart.ts';
import { TABLE_ROWS } from './chart_table.ts';
import type { ChartNumbers } from './chart_table.ts';
import { Settings } from './settings.ts';
import { formatCount, formatLoss, formatValue } from './format.ts';
import { lossSeries, positive } from './series.ts';
import { testIds } from './testids.ts';
import { smoothed } from './thinning.ts';
import { capital, t } from '../texts.ts';

export class LossChart {
  readonly #chart: Chart;
  #log = false;
  #smoothing = 0;

  constructor(height: number) {
    this.#chart = new Chart({
      name: testIds.lossChart,
      height,
      xLabel: t('epochAxis'),
      yLabel: t('lossAxis'),
      describeX: (x) => t('epochNumber', formatValue(Math.round(x * 100) / 100)),
      curves: [
        { label: capital(t('curveSteps')), color: '--train', width: 1, alpha: 0.4 },
        { label: capital(t('curveSmoothed')), color: '--train', width: 1.5 },
        { label: capital(t('curveTraining')), color: '--train', dots: true },
        { label: capital(t('curveValidation')), color: '--validation', dots: true },
        { label: capital(t('curveNoModel')), color: '--truth', width: 1.5, dash: [5, 4] },
      ],
    });
  }

  get element(): HTMLElement {
    return this.#chart.element;
  }

  setLog(log: boolean): void {
    this.#log = log;
    this.#chart.setLog(log);
  }

  /** 0 shows no smoothed curve. */
  setSmoothing(weight: number): void {
    this.#smoothing = weight;
  }

  update(state: RunState): void {
    const { x, ...curves } = lossSeries(
      state.history,
      state.progress?.stepsPerEpoch ?? 1,
      state.baselines,
    );
    const even = smoothed(curves.steps, this.#smoothing);
    const shown = [curves.steps, even, curves.train, curves.validation, curves.baseline];
    this.#chart.show([x, ...(this.#log ? shown.map(positive) : shown)], summaryOf(state), () =>
      numbersOf(state),
    );
  }
}

/** The newest epoch first. */
function numbersOf({ history }: RunState): ChartNumbers {
  const rows = history.epochs
    .slice(-TABLE_ROWS)
    .reverse()
    .map(({ epoch, trainLoss, validationLoss }) => [
      formatCount(epoch),
      formatLoss(trainLoss),
      formatLoss(validationLoss),
    ]);
  return { headings: [t('figureEpoch'), t('figureLoss'), t('figureValidationLoss')], rows };
}

function summaryOf({ history, config, settings }: RunState): string {
  const last = history.epochs[history.epochs.length - 1];
  if (last === undefined) return t('lossSummaryNone');
  const name = new Settings(settings).label('loss', config?.training['loss']);
  const validation = formatLoss(last.validationLoss);
  const train = formatLoss(last.trainLoss);
  return t('lossSummary', name, formatCount(last.epoch), train, validation);
}
