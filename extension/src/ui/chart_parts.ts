// How a chart's parts are drawn: its curves, the room of its axes, its ground and the legend inside the canvas.

import uPlot from 'uplot';
import { formatValue } from './format.ts';

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
  /** A bar at each x, which are evenly spaced: how many of something lie there. */
  bars?: boolean;
}

export const legendHeight = 22;

export const wholeSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 1e6,
];

export function color(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

export function curveOptions({
  label,
  color: property,
  width = 2,
  dash,
  alpha,
  dots,
  scattered,
  bars,
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
    points: { show: scattered === true || (bars !== true && show), size: 5, fill: stroke },
    ...(scattered === true && { paths: () => null }),
    ...(bars === true && barPaths(stroke)),
  };
}

/** As wide as the distance between them, but for a gap that tells them apart. */
function barPaths(fill: string): Partial<uPlot.Series> {
  return { paths: uPlot.paths.bars?.({ size: [1, Infinity], gap: 1 }), fill, width: 0 };
}

/** Few enough points that dots do not run into one thick line. */
function isSparse(values: ArrayLike<unknown> | undefined): boolean {
  return Array.from(values ?? []).filter((value) => value !== null).length <= 40;
}

export function tickText(value: number | null): string {
  return value === null ? '' : formatValue(value);
}

/** One point alone still gets an axis with a width. */
export function widen(_plot: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1];
  return min === max ? [min - 0.5, max + 0.5] : [min, max];
}

/** The first and the last bar whole. */
export function withBars(x: ArrayLike<number>): uPlot.Range.MinMax {
  const [first = 0, second = first + 1] = [x[0], x[1]];
  const half = (second - first) / 2;
  return [first - half, (x[x.length - 1] ?? first) + half];
}

export function fromZero(
  _plot: uPlot,
  _min: number | null,
  max: number | null,
): uPlot.Range.MinMax {
  return [0, max !== null && max > 0 ? max * 1.06 : 1];
}

export function padded(_plot: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1];
  const room = max > min ? (max - min) * 0.06 : Math.abs(max) * 0.1 || 1;
  const low = min >= 0 && min - room < 0 ? 0 : min - room;
  return [low, max + room];
}

/** As wide as the longest number, so that none is cut. */
export function axisWidth(plot: uPlot, values: string[] | null): number {
  if (values === null) return 40;
  plot.ctx.font = `${String(11 * devicePixelRatio)}px system-ui, sans-serif`;
  const widest = Math.max(0, ...values.map((value) => plot.ctx.measureText(value).width));
  return Math.ceil(widest / devicePixelRatio) + 14;
}

export function paintGround(plot: uPlot): void {
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = color('--surface');
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  ctx.restore();
}

/** A short stroke and a name for each curve that has points, above the plot. */
export function paintLegend(plot: uPlot, curves: readonly Curve[]): void {
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
