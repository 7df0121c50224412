// Line charts over uPlot: as wide as their place, in the page's colours, with words for those who
// cannot see them.
import uPlot from "uplot";
import { Child, h } from "./dom";
import { css, onTheme } from "./theme";

export interface Curve {
  name: string;
  y: (number | null)[];
  colour: () => string;
  width?: number;
  dashed?: boolean;
  marks?: "too" | "only";
  errors?: ([number, number] | null)[]; // least and most at each x, drawn as bars with caps
}

export interface Scale {
  name: string;
  text: (value: number) => string;
  log?: boolean;
  splits?: number[];
  range?: [number, number];
}

export interface ChartOptions {
  alt: string;
  x: number[];
  curves: Curve[];
  xScale: Scale;
  yScale: Scale;
  bands?: { between: [number, number]; fill: () => string }[]; // indices of curves, upper first
}

const kFont = "12px system-ui, sans-serif";

// The lines between decades say nothing when there are many decades.
function fewLines(_plot: uPlot, splits: number[]): (number | null)[] {
  if (splits.length < 20) return splits;
  return splits.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
}

// A log axis may begin anywhere; 1, 2 and 5 are figures to read.
function isRound(value: number): boolean {
  const mantissa = value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
  return [1, 2, 5].some((round) => Math.abs(mantissa - round) < 1e-6);
}

function axis(scale: Scale, room: number, space: number): uPlot.Axis {
  return {
    label: scale.name,
    labelSize: 18,
    labelFont: kFont,
    font: kFont,
    stroke: () => css("--soft"),
    grid: { stroke: () => css("--grid"), width: 1, ...(scale.log ? { filter: fewLines } : {}) },
    ticks: { stroke: () => css("--grid"), width: 1, size: 4 },
    size: room,
    space,
    ...(scale.splits ? { splits: () => scale.splits! } : {}),
    values: (_plot: uPlot, at: number[]) =>
      at.map((v) => (v == null || (scale.log && !isRound(v)) ? "" : scale.text(v))),
  };
}

// Intervals, above what they belong to; cut off where the axis ends.
function drawErrors(plot: uPlot, curves: Curve[]): void {
  const { ctx, bbox } = plot;
  const cap = 4 * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([]);
  curves.forEach((curve, i) => {
    if (!curve.errors || !plot.series[i + 1].show) return;
    ctx.strokeStyle = curve.colour();
    ctx.beginPath();
    curve.errors.forEach((error, at) => {
      if (!error) return;
      const x = plot.valToPos(plot.data[0][at], "x", true);
      const ends = error.map((v) => plot.valToPos(v, "y", true));
      ctx.moveTo(x, ends[0]);
      ctx.lineTo(x, ends[1]);
      for (const end of ends) {
        ctx.moveTo(x - cap, end);
        ctx.lineTo(x + cap, end);
      }
    });
    ctx.stroke();
  });
  ctx.restore();
}

// Whole decades waste half of a chart, but one line must be in it.
function logRange(low: number, high: number): [number, number] {
  if (!(low > 0) || !(high > 0)) return [1, 10];
  const room = low === high ? 2 : 1.15;
  return [low / room, high * room];
}

function scaleOf(scale: Scale, padded: boolean): uPlot.Scale {
  if (scale.range) return { range: scale.range, distr: scale.log ? 3 : 1, time: false };
  if (scale.log) {
    return { distr: 3, time: false, range: (_u, low, high) => logRange(low, high) };
  }
  if (!padded) return { time: false };
  return {
    time: false,
    range: (_u, low, high) => {
      const room = (high - low || Math.abs(high) || 1) * 0.06;
      const floor = low >= 0 && low - room < 0.25 * high ? 0 : low - room;
      return [floor, high + room];
    },
  };
}

function seriesOf(curve: Curve, text: (v: number) => string): uPlot.Series {
  const only = curve.marks === "only";
  return {
    label: curve.name,
    stroke: curve.colour,
    width: curve.width ?? 2,
    dash: curve.dashed ? [7, 5] : undefined,
    paths: only ? () => null : undefined,
    spanGaps: true,
    points: { show: curve.marks !== undefined, size: only ? 8 : 6, fill: only ? curve.colour : undefined },
    value: (_u: uPlot, v: number | null) => (v == null ? "-" : text(v)),
  };
}

export function chart(options: ChartOptions, ...below: Child[]): HTMLElement {
  const place = h("div", { class: "plot" });
  const box = h("div", { class: "chart", role: "group", "aria-label": options.alt }, place, ...below);
  const size = () => {
    const width = Math.max(240, Math.floor(place.clientWidth));
    return { width, height: Math.round(Math.min(420, Math.max(260, width * 0.45))) };
  };
  const start = () => {
    const plot = new uPlot(
      {
        ...size(),
        scales: { x: scaleOf(options.xScale, false), y: scaleOf(options.yScale, true) },
        axes: [axis(options.xScale, 34, 56), axis(options.yScale, 58, 34)],
        series: [
          { label: options.xScale.name, value: (_u, v) => (v == null ? "-" : options.xScale.text(v)) },
          ...options.curves.map((curve) => seriesOf(curve, options.yScale.text)),
        ],
        bands: options.bands?.map((band) => ({
          series: [band.between[0] + 1, band.between[1] + 1] as [number, number],
          fill: band.fill,
        })),
        hooks: { draw: [(u) => drawErrors(u, options.curves)] },
        cursor: { drag: { x: true, y: false }, points: { size: 7 } },
        padding: [10, 26, 0, 0],
      },
      [options.x, ...options.curves.map((curve) => curve.y)] as uPlot.AlignedData,
      place,
    );
    const canvas = plot.root.querySelector("canvas")!;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", options.alt);
    new ResizeObserver(() => {
      if (size().width !== plot.width) plot.setSize(size());
    }).observe(place);
    onTheme(() => plot.redraw(false, true));
  };
  // The width is known when it is in the page.
  const wait = new ResizeObserver(() => {
    if (place.clientWidth === 0) return;
    wait.disconnect();
    start();
  });
  wait.observe(place);
  return box;
}
