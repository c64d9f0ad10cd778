// What a regression is worth, in full: predictions beside the truth, how the errors spread, and the worst of them.

import type { Errors, Regression, Residuals } from '../messages/evaluation.ts';
import { t } from '../texts.ts';
import { Chart } from './chart.ts';
import { formatCount, formatFraction, formatValue } from './format.ts';
import { capital } from './run_view.ts';
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
  const row = (name: string, { mae, rmse, r2 }: Errors): string[] => [
    name,
    formatValue(mae),
    formatValue(rmse),
    formatFraction(r2),
  ];
  return makeTable({
    name: testIds.errorTable,
    label: t('errorMeasures'),
    headings: [t('predictedBy'), t('mae'), t('rmse'), t('r2')],
    rows: [
      row(t('thisModel'), model),
      row(capital(t('rivalMean')), mean),
      row(capital(t('rivalRidge')), ridge),
    ],
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
  const rows = sorted.map((point) => [
    formatValue(point.truth),
    formatValue(point.predicted),
    formatCount(point.row + 1),
  ]);
  chart.show(
    [truth, sorted.map(({ predicted }) => predicted), truth],
    t('scatterSummary', target, formatFraction(model.r2)),
    () => ({ headings: [capital(t('truth')), t('predicted'), capital(t('row'))], rows }),
  );
  return chart.element;
}

/** How many predictions are so much above or below the truth. */
function histogram({ from, width, counts }: Residuals): HTMLElement {
  const chart = new Chart({
    name: testIds.residualChart,
    height: 200,
    xLabel: t('predictedLessTruth'),
    yLabel: t('rowsHeading'),
    describeX: (x) => `${t('predictedLessTruth')} ${formatValue(x)}`,
    curves: [{ label: t('rowsHeading'), color: '--train', dots: true }],
  });
  const middles = counts.map((_, i) => from + (i + 0.5) * width);
  const rows = counts.map((count, i) => [
    formatValue(from + i * width),
    formatValue(from + (i + 1) * width),
    formatCount(count),
  ]);
  const headings = [t('fromHeading'), t('toHeading'), t('rowsHeading')];
  chart.show([middles, counts], t('residualSummary'), () => ({ headings, rows }));
  return chart.element;
}

function worstTable({ worst }: Regression): HTMLElement {
  const rows = worst.map(({ row, line, truth, predicted }) => [
    line > 0 ? t('atLine', formatCount(line)) : t('rowNumber', formatCount(row + 1)),
    formatValue(truth),
    formatValue(predicted),
    formatValue(predicted - truth),
  ]);
  const headings = [
    capital(capital(t('row'))),
    capital(t('truth')),
    t('predicted'),
    t('predictedLessTruth'),
  ];
  return makeTable({ name: testIds.worst, label: t('worstMistakes'), headings, rows });
}
