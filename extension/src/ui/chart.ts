// A uPlot chart that keeps its width to its frame, its colours to the scheme and its own legend inside the canvas,
// so that canvas.toDataURL() gives a picture that stands alone.

import uPlot from 'uplot';
import { capital, t } from '../texts.ts';
import {
  axisWidth,
  color,
  curveOptions,
  fromZero,
  legendHeight,
  padded,
  paintGround,
  paintLegend,
  tickText,
  wholeSteps,
  widen,
  withBars,
} from './chart_parts.ts';
import type { Curve } from './chart_parts.ts';
import { ChartTable } from './chart_table.ts';
import type { ChartNumbers } from './chart_table.ts';
import { make, on, setHidden, setText } from './dom.ts';
import { formatValue } from './format.ts';
import { each, once, testIds } from './testids.ts';
import type { TestId } from './testids.ts';
import { thinned } from './thinning.ts';
import { rangeAfter } from './zoom.ts';
import type { Range } from './zoom.ts';

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
    this.#options = {
      ...options,
      xLabel: capital(options.xLabel),
      yLabel: capital(options.yLabel),
    };
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
        y: this.#log ? logarithmic : { range: this.#hasBars ? fromZero : padded },
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
    if (this.#range !== null) return [...this.#range];
    return this.#hasBars ? withBars(this.#data[0]) : widen(plot, min, max);
  }

  get #hasBars(): boolean {
    return this.#options.curves.some(({ bars }) => bars === true);
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
