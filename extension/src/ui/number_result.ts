// What a regression is worth, in full: predictions beside the truth, how the errors spread, and the worst of them.

import type { Regression, Residuals } from '../messages/evaluation.ts';
import { capital, t } from '../texts.ts';
import { Chart } from './chart.ts';
import { formatCount, formatFraction, formatRowsAlike, formatValue } from './format.ts';
import { makeTable, titled } from './tables.ts';
import { testIds } from './testids.ts';

export function numberSections(result: Regression, target: string): HTMLElement[] {
  return [
    titled(t('errorMeasures'), errorTable(result)),
    titled(t('predictedAndTruth'), scatter(result, target)),
    titled(t('residuals'), histogram(result.residuals)),
    titled(t('worstMistakes'), worstTable(result)),
  ];
}

function errorTable({ model, mean, ridge }: Regression): HTMLElement {
  const rivals = [model, mean, ridge];
  const errors = formatRowsAlike(rivals.map(({ mae, rmse }) => [mae, rmse]));
  const names = [t('thisModel'), t('rivalMean'), t('rivalRidge')].map(capital);
  return makeTable({
    name: testIds.errorTable,
    label: t('errorMeasures'),
    headings: [t('predictedBy'), t('mae'), t('rmse'), t('r2')],
    rows: rivals.map(({ r2 }, i) => [names[i] ?? '', ...(errors[i] ?? []), formatFraction(r2)]),
  });
}

function scatter({ points, model }: Regression, target: string): HTMLElement {
  const sorted = [...points].sort((a, b) => a.truth - b.truth);
  const truth = sorted.map((point) => point.truth);
  const chart = new Chart({
    name: testIds.scatterChart,
    height: 280,
    xLabel: t('truth'),
    yLabel: t('predicted'),
    describeX: (x) => `${t('truth')} ${formatValue(x)}`,
    curves: [
      { label: t('predicted'), color: '--train', scattered: true },
      { label: t('exactlyRight'), color: '--truth', width: 1, dash: [4, 4] },
    ],
  });
  const values = formatRowsAlike(sorted.map((point) => [point.truth, point.predicted]));
  const rows = sorted.map(({ row }, i) => [...(values[i] ?? []), formatCount(row + 1)]);
  chart.show(
    [truth, sorted.map(({ predicted }) => predicted), truth],
    t('scatterSummary', target, formatFraction(model.r2)),
    () => ({ headings: [capital(t('truth')), t('predicted'), capital(t('row'))], rows }),
  );
  return chart.element;
}

/** How many predictions are so much above or below the truth. */
function histogram({ first, width, counts }: Residuals): HTMLElement {
  const chart = new Chart({
    name: testIds.residualChart,
    height: 200,
    xLabel: t('predictedLessTruth'),
    yLabel: t('rowsHeading'),
    describeX: (x) => {
      const [low = '', high = ''] = bins[Math.floor(x / width) - first] ?? [];
      return `${t('predictedLessTruth')} ${t('fromTo', low, high)}`;
    },
    curves: [{ label: t('rowsHeading'), color: '--train', bars: true }],
  });
  const bins = formatRowsAlike(
    counts.map((_, i) => [(first + i) * width, (first + i + 1) * width]),
  );
  const middles = counts.map((_, i) => (first + i + 0.5) * width);
  const rows = counts.map((count, i) => [...(bins[i] ?? []), formatCount(count)]);
  const headings = [t('fromHeading'), t('toHeading'), t('rowsHeading')];
  chart.show([middles, counts], t('residualSummary'), () => ({ headings, rows }));
  return chart.element;
}

function worstTable({ worst }: Regression): HTMLElement {
  const values = formatRowsAlike(
    worst.map(({ truth, predicted }) => [truth, predicted, predicted - truth]),
  );
  const rows = worst.map(({ row, line }, i) => [
    line > 0 ? t('atLine', formatCount(line)) : t('rowNumber', formatCount(row + 1)),
    ...(values[i] ?? []),
  ]);
  const headings = [t('row'), t('truth'), t('predicted'), t('predictedLessTruth')];
  return makeTable({ name: testIds.worst, label: t('worstMistakes'), headings, rows });
}
