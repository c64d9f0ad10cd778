// A uPlot chart that keeps its width to its frame, its colours to the scheme and its own legend inside the canvas,
// so that canvas.toDataURL() gives a picture that stands alone.

import uPlot from 'uplot';
import { t } from '../texts.ts';
import { ChartTable } from './chart_table.ts';
import type { ChartNumbers } from './chart_table.ts';
import { make, on, setHidden, setText } from './dom.ts';
import { formatValue } from './format.ts';
import { each, once, testIds } from './testids.ts';
import type { TestId } from './testids.ts';
import { thinned } from './thinning.ts';
import { rangeAfter } from './zoom.ts';
import type { Range } from './zoom.ts';

export interface Curve {
  label: string;
  /** A custom property of ui.css, such as --train. */
  color: string;
  width?: number;
  dash?: number[];
  alpha?: number;
  /** Dots at the points, for curves with few of them. */
  dots?: boolean;
  /** Dots alone, however many. */
  scattered?: boolean;
}

export interface ChartOptions {
  name: TestId;
  height: number;
  curves: Curve[];
  xLabel: string;
  yLabel: string;
  /** Whole numbers on the x axis only. */
  wholeX?: boolean;
  describeX: (x: number) => string;
}

const font = '11px system-ui, sans-serif';
const legendHeight = 22;
// uPlot's enum exists in its types only.
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
const logarithmic: uPlot.Scale = { distr: 3, log: 10 };

export class Chart {
  readonly element = make('div', { class: 'chart' });
  readonly #frame = make('div', {
    tabindex: 0,
    role: 'group',
    'aria-label': t('zoomHelp'),
    title: t('zoomHelp'),
  });
  readonly #reading = make('p', { class: 'reading' });
  readonly #whole = make(
    'button',
    { type: 'button', class: 'quiet', hidden: true, ...each(testIds.chartWhole) },
    t('wholeRange'),
  );
  readonly #table = new ChartTable();
  readonly #options: ChartOptions;
  #plot: uPlot | null = null;
  #data: uPlot.AlignedData = [[]];
  /** What of it is on the canvas. */
  #drawn: uPlot.AlignedData = [[]];
  /** The part of the x axis that the person has chosen; null is all of it. */
  #range: Range | null = null;
  #log = false;
  #width = 0;

  constructor(options: ChartOptions) {
    this.#options = options;
    const below = make('div', { class: 'row spread' }, this.#reading, this.#whole);
    this.element.append(this.#frame, below, this.#table.element);
    on(this.#whole, 'click', () => {
      this.#zoom(null);
      this.#frame.focus();
    });
    on(this.#frame, 'keydown', (event) => {
      this.#press(event as KeyboardEvent);
    });
    new ResizeObserver(() => {
      this.#fit();
    }).observe(this.#frame);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#rebuild();
    });
  }

  /** x, then one list a curve. `summary` is what a screen reader hears in place of the picture. */
  show(data: uPlot.AlignedData, summary: string, numbers: () => ChartNumbers): void {
    this.#data = data;
    this.#plot?.setData(this.#thin());
    this.#describe(summary);
    this.#table.show(numbers);
  }

  #thin(): uPlot.AlignedData {
    this.#drawn = thinned(this.#data, this.#width, this.#range);
    return this.#drawn;
  }

  #zoom(range: Range | null): void {
    if (range !== null && !(range[1] > range[0])) return;
    this.#range = range;
    setHidden(this.#whole, range === null);
    this.#plot?.setData(this.#thin());
  }

  #press(event: KeyboardEvent): void {
    const x = this.#data[0];
    const whole: Range = [x[0] ?? 0, x[x.length - 1] ?? 0];
    const range = rangeAfter(event.key, this.#range ?? whole, whole);
    if (range === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#zoom(range);
  }

  /** What was dragged over becomes the range. */
  #select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    const range: Range = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#zoom(range);
  }

  setLog(log: boolean): void {
    if (this.#log === log) return;
    this.#log = log;
    this.#rebuild();
  }

  #summary = '';

  #describe(summary: string): void {
    this.#summary = summary;
    const canvas = this.element.querySelector('canvas');
    if (canvas === null) return;
    canvas.setAttribute('aria-label', summary);
    canvas.dataset['points'] = String(this.#drawn[0].length);
  }

  #fit(): void {
    // clientWidth holds the frame's padding, which the plot must leave free.
    const { paddingLeft, paddingRight } = getComputedStyle(this.#frame);
    const padding = (parseFloat(paddingLeft) || 0) + (parseFloat(paddingRight) || 0);
    const width = Math.max(0, Math.floor(this.#frame.clientWidth - padding));
    if (width === 0 || width === this.#width) return;
    this.#width = width;
    if (this.#plot === null) this.#rebuild();
    else {
      this.#plot.setSize({ width, height: this.#options.height });
      this.#plot.setData(this.#thin());
    }
  }

  #rebuild(): void {
    if (this.#width === 0) return;
    this.#plot?.destroy();
    this.#plot = new uPlot(this.#plotOptions(), this.#thin(), this.#frame);
    const canvas = this.#plot.ctx.canvas;
    for (const [name, value] of Object.entries(once(this.#options.name)))
      canvas.setAttribute(name, value);
    canvas.setAttribute('role', 'img');
    this.#describe(this.#summary);
  }

  #plotOptions(): uPlot.Options {
    const { curves, xLabel, yLabel, height, wholeX } = this.#options;
    const ink = { stroke: color('--muted'), font, grid: { stroke: color('--grid'), width: 1 } };
    const ticks = { stroke: color('--grid'), width: 1, size: 4 };
    return {
      width: this.#width,
      height,
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        bind: {
          dblclick: () => () => {
            this.#zoom(null);
            return null;
          },
        },
      },
      padding: [legendHeight, 12, 0, 0],
      scales: {
        x: { time: false, range: (plot, min, max) => this.#rangeOf(plot, min, max) },
        y: this.#log ? logarithmic : { range: padded },
      },
      axes: [
        {
          ...ink,
          ticks,
          size: 24,
          gap: 4,
          label: xLabel,
          labelFont: font,
          labelSize: 16,
          labelGap: 0,
          space: 56,
          incrs: wholeX === true ? wholeSteps : undefined,
          values: (_plot, values) => values.map(tickText),
        },
        {
          ...ink,
          ticks,
          size: axisWidth,
          gap: 6,
          label: yLabel,
          labelFont: font,
          labelSize: 16,
          labelGap: 0,
          space: 28,
          values: (_plot, values) => values.map(tickText),
        },
      ],
      series: [{}, ...curves.map(curveOptions)],
      hooks: {
        drawClear: [paintGround],
        draw: [
          (plot) => {
            paintLegend(plot, curves);
          },
        ],
        setSelect: [
          (plot) => {
            this.#select(plot);
          },
        ],
        setCursor: [
          (plot) => {
            this.#readOut(plot);
          },
        ],
      },
    };
  }

  #rangeOf(plot: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
    return this.#range === null ? widen(plot, min, max) : [...this.#range];
  }

  #readOut(plot: uPlot): void {
    const index = plot.cursor.idx;
    const x = index === null || index === undefined ? undefined : this.#drawn[0][index];
    if (x === undefined || index === null || index === undefined) {
      setText(this.#reading, '');
      return;
    }
    const parts = this.#options.curves.flatMap(({ label }, i) => {
      const value = this.#drawn[i + 1]?.[index];
      return typeof value === 'number' ? [`${label} ${formatValue(value)}`] : [];
    });
    setText(this.#reading, [this.#options.describeX(x), ...parts].join(' · '));
  }
}

const wholeSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 1e6,
];

function color(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

function curveOptions({
  label,
  color: property,
  width = 2,
  dash,
  alpha,
  dots,
  scattered,
}: Curve): uPlot.Series {
  const stroke = color(property);
  const show = (plot: uPlot, series: number): boolean =>
    dots === true && isSparse(plot.data[series]);
  return {
    label,
    stroke,
    width,
    dash,
    alpha,
    spanGaps: true,
    points: { show: scattered === true || show, size: 5, fill: stroke },
    ...(scattered === true && { paths: () => null }),
  };
}

/** Few enough points that dots do not run into one thick line. */
function isSparse(values: ArrayLike<unknown> | undefined): boolean {
  return Array.from(values ?? []).filter((value) => value !== null).length <= 40;
}

function tickText(value: number | null): string {
  return value === null ? '' : formatValue(value);
}

/** One point alone still gets an axis with a width. */
function widen(_plot: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1];
  return min === max ? [min - 0.5, max + 0.5] : [min, max];
}

function padded(_plot: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1];
  const room = max > min ? (max - min) * 0.06 : Math.abs(max) * 0.1 || 1;
  const low = min >= 0 && min - room < 0 ? 0 : min - room;
  return [low, max + room];
}

/** As wide as the longest number, so that none is cut. */
function axisWidth(plot: uPlot, values: string[] | null): number {
  if (values === null) return 40;
  plot.ctx.font = `${String(11 * devicePixelRatio)}px system-ui, sans-serif`;
  const widest = Math.max(0, ...values.map((value) => plot.ctx.measureText(value).width));
  return Math.ceil(widest / devicePixelRatio) + 14;
}

function paintGround(plot: uPlot): void {
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = color('--surface');
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  ctx.restore();
}

/** A short stroke and a name for each curve that has points, above the plot. */
function paintLegend(plot: uPlot, curves: readonly Curve[]): void {
  const { ctx } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = `${String(11 * scale)}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.lineWidth = 2 * scale;
  let x = 8 * scale;
  const y = (legendHeight / 2 - 2) * scale;
  curves.forEach(({ label, color: property, dash, alpha = 1 }, i) => {
    if (plot.data[i + 1]?.some((value) => value !== null) !== true) return;
    ctx.globalAlpha = alpha;
    ctx.strokeStyle = color(property);
    ctx.setLineDash((dash ?? []).map((length) => length * scale));
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + 16 * scale, y);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.fillStyle = color('--muted');
    ctx.fillText(label, x + 21 * scale, y);
    x += 21 * scale + ctx.measureText(label).width + 14 * scale;
  });
  ctx.restore();
}
