// What a classification is worth, in full: which classes are taken for which, each class by itself, the trade between
// finding and false alarms, whether its probabilities can be believed, and its worst mistakes.

import type { Classification } from '../messages/evaluation.ts';
import { t } from '../texts.ts';
import { Chart } from './chart.ts';
import type { Curve } from './chart_parts.ts';
import { make, on, setOptions } from './dom.ts';
import { formatCount, formatFraction, formatShare, shorten } from './format.ts';
import { framed, makeTable, titled } from './tables.ts';
import { each, once, testIds } from './testids.ts';
import type { TestId } from './testids.ts';

/** Letters of a class's name. */
const NAME = 24;

export function classSections(result: Classification): HTMLElement[] {
  return [
    titled(t('confusion'), confusionTable(result)),
    titled(t('byClass'), classTable(result)),
    ...curveSections(result),
    titled(t('calibration'), calibrationChart(result)),
    titled(t('worstMistakes'), worstTable(result)),
  ];
}

function nameOf({ classes }: Classification, index: number): string {
  return shorten(classes[index] ?? '', NAME);
}

/** Truth by row, prediction by column; the fuller a field of its row, the darker. */
function confusionTable(result: Classification): HTMLElement {
  const { confusion, classes } = result;
  const head = classes.map((_, i) =>
    make('th', { scope: 'col', class: 'right' }, nameOf(result, i)),
  );
  const body = confusion.map((counts, truth) => {
    const all = counts.reduce((sum, count) => sum + count, 0);
    const cells = counts.map((count, predicted) =>
      make(
        'td',
        {
          class: 'right',
          'data-level': all > 0 ? Math.ceil((4 * count) / all) : 0,
          'data-right': truth === predicted,
        },
        formatCount(count),
      ),
    );
    return make('tr', {}, make('th', { scope: 'row' }, nameOf(result, truth)), ...cells);
  });
  const corner = make('th', { scope: 'col' }, t('truthByPrediction'));
  const table = make(
    'table',
    { class: 'confusion', ...once(testIds.confusion) },
    make('thead', {}, make('tr', {}, corner, ...head)),
    make('tbody', {}, ...body),
  );
  return framed(t('confusion'), table);
}

function classTable(result: Classification): HTMLElement {
  const rows = result.byClass.map(({ precision, recall, f1, support }, i) => [
    nameOf(result, i),
    formatShare(precision),
    formatShare(recall),
    formatFraction(f1),
    formatCount(support),
  ]);
  const headings = [t('class'), t('precision'), t('recall'), t('f1'), t('rowsHeading')];
  return makeTable({ name: testIds.byClass, label: t('byClass'), headings, rows });
}

/** Of two classes the second, which mostly is the "yes"; of more, the one that is chosen. */
function curveSections(result: Classification): HTMLElement[] {
  const { curves, classes } = result;
  if (curves.length === 0) return [];
  const first = classes.length === 2 ? Math.min(1, curves.length - 1) : 0;
  const roc = curveChart(testIds.rocChart, t('falseAlarms'), t('recall'), true);
  const pr = curveChart(testIds.prChart, t('recall'), t('precision'), false);
  const areas = make('p', { class: 'muted small', ...once(testIds.areas) });
  const choice = make('select', { 'aria-label': t('class'), ...once(testIds.curveClass) });
  const show = (): void => {
    const curve = curves[Number(choice.value)];
    if (curve === undefined) return;
    const name = nameOf(result, curve.class);
    const area = formatFraction(curve.area);
    const precision = formatFraction(curve.averagePrecision);
    areas.textContent = t('areasOf', name, area, precision);
    roc(curve.roc, t('rocSummary', name, area));
    pr(curve.pr, t('prSummary', name, precision));
  };
  const options = curves.map((curve, i) => ({
    value: String(i),
    label: nameOf(result, curve.class),
  }));
  setOptions(choice, options, String(first));
  on(choice, 'change', show);
  show();
  return [
    titled(
      t('curves'),
      make('label', { class: 'row small' }, t('class'), choice),
      areas,
      make('div', { class: 'side-by-side' }, roc.element, pr.element),
    ),
  ];
}

type Draw = ((points: [number, number][], summary: string) => void) & { element: HTMLElement };

function curveChart(name: TestId, xLabel: string, yLabel: string, diagonal: boolean): Draw {
  const curve: Curve = { label: t('thisModel'), color: '--train' };
  const chance: Curve = { label: t('chance'), color: '--truth', width: 1, dash: [4, 4] };
  const chart = new Chart({
    name,
    height: 240,
    curves: diagonal ? [curve, chance] : [curve],
    xLabel,
    yLabel,
    describeX: (x) => `${xLabel} ${formatShare(x)}`,
  });
  const draw = (points: [number, number][], summary: string): void => {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const [x, y] = [sorted.map(([at]) => at), sorted.map(([, at]) => at)];
    chart.show(diagonal ? [x, y, x] : [x, y], summary, () => ({
      headings: [xLabel, yLabel],
      rows: sorted.map(([a, b]) => [formatFraction(a), formatFraction(b)]),
    }));
  };
  return Object.assign(draw, { element: chart.element });
}

/** Of what it is so sure of, how much is right: on the diagonal it can be taken at its word. */
function calibrationChart({ calibration }: Classification): HTMLElement {
  const bins = calibration.filter(({ count }) => count > 0);
  const chart = new Chart({
    name: testIds.calibrationChart,
    height: 220,
    xLabel: t('confidence'),
    yLabel: t('rightPart'),
    describeX: (x) => `${t('confidence')} ${formatShare(x)}`,
    curves: [
      { label: t('thisModel'), color: '--train', dots: true },
      { label: t('exactlyRight'), color: '--truth', width: 1, dash: [4, 4] },
    ],
  });
  const x = bins.map(({ confidence }) => confidence);
  const rows = bins.map((bin) => [
    formatShare(bin.confidence),
    formatShare(bin.accuracy),
    formatCount(bin.count),
  ]);
  const numbers = { headings: [t('confidence'), t('rightPart'), t('rowsHeading')], rows };
  chart.show([x, bins.map(({ accuracy }) => accuracy), x], t('calibrationSummary'), () => numbers);
  return chart.element;
}

function worstTable(result: Classification): HTMLElement {
  if (result.worst.length === 0)
    return make('p', { class: 'muted small', ...each(testIds.worst) }, t('noMistakes'));
  const rows = result.worst.map(({ row, line, truth, predicted, probability, ...other }) => [
    line > 0 ? t('atLine', formatCount(line)) : t('rowNumber', formatCount(row + 1)),
    nameOf(result, truth),
    nameOf(result, predicted),
    formatShare(probability),
    formatShare(other.truthProbability),
  ]);
  const headings = [
    t('row'),
    t('truth'),
    t('predicted'),
    t('itsProbability'),
    t('truthsProbability'),
  ];
  return makeTable({ name: testIds.worst, label: t('worstMistakes'), texts: 3, headings, rows });
}
