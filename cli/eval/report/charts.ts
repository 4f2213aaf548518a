import { meanOf } from '../../../domain/scoring/bootstrap.ts';
import { type Html, html } from './html.ts';

const WIDTH = 440;
const HEIGHT = 200;
const PAD = { left: 44, right: 12, top: 12, bottom: 34 };
const INNER = { width: WIDTH - PAD.left - PAD.right, height: HEIGHT - PAD.top - PAD.bottom };

const round = (value: number): number => Math.round(value * 100) / 100;
const xAt = (share: number): number => round(PAD.left + share * INNER.width);
const yAt = (share: number): number => round(PAD.top + (1 - share) * INNER.height);

const short = (value: number): string =>
  Math.abs(value) >= 10_000
    ? `${round(value / 1_000)}k`
    : Number.isInteger(value)
      ? String(value)
      : String(Number(value.toPrecision(3)));

interface Axis {
  label: string;
  min: number;
  max: number;
}

/** Where a value lies on its axis, in [0, 1]; an axis without extent puts everything in its middle. */
const shareOf = ({ min, max }: Axis, value: number): number =>
  max > min ? (value - min) / (max - min) : 0.5;

/** Up to six round numbers on an axis. */
export const ticksOf = ({ min, max }: Pick<Axis, 'min' | 'max'>): number[] => {
  if (!(max > min)) return [min];
  const rough = (max - min) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(min / step);
  const last = Math.floor(max / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, n) => Number(((first + n) * step).toPrecision(12)));
};

const frame = (title: string, x: Axis, y: Axis, content: readonly Html[], xTicks = ticksOf(x)): Html =>
  html`<figure>
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
      ${ticksOf(y).map((tick) => {
        const at = yAt(shareOf(y, tick));
        return html`<line class="grid" x1="${PAD.left}" x2="${WIDTH - PAD.right}" y1="${at}" y2="${at}" />
          <text class="tick" x="${PAD.left - 6}" y="${at + 3.5}" text-anchor="end">${short(tick)}</text>`;
      })}
      ${xTicks.map(
        (tick) =>
          html`<text
            class="tick"
            x="${xAt(shareOf(x, tick))}"
            y="${HEIGHT - PAD.bottom + 14}"
            text-anchor="middle"
          >
            ${short(tick)}
          </text>`,
      )}
      <text class="axis" x="${PAD.left + INNER.width / 2}" y="${HEIGHT - 4}" text-anchor="middle">
        ${x.label}
      </text>
      <text
        class="axis"
        x="10"
        y="${PAD.top + INNER.height / 2}"
        text-anchor="middle"
        transform="rotate(-90 10 ${PAD.top + INNER.height / 2})"
      >
        ${y.label}
      </text>
      ${content}
    </svg>
  </figure>`;

/** How many of the values, all in [0, 1], fall into each tenth; exactly 1 counts in the last. */
export const tenths = (values: readonly number[]): number[] => {
  const bins = Array.from({ length: 10 }, () => 0);
  for (const value of values) {
    const bin = Math.min(9, Math.max(0, Math.floor(value * 10 + 1e-9)));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
};

/** Distribution of shares in [0, 1]. */
export const histogram = (title: string, label: string, values: readonly number[]): Html => {
  const bins = tenths(values);
  const x = { label, min: 0, max: 1 };
  const y = { label: 'answers', min: 0, max: Math.max(1, ...bins) };
  const bars = bins.map((count, bin) => {
    const top = yAt(shareOf(y, count));
    return html`<rect
      class="bar"
      x="${xAt(bin / 10) + 1}"
      y="${top}"
      width="${round(INNER.width / 10 - 2)}"
      height="${round(yAt(0) - top)}"
      ><title>${bin / 10} to ${(bin + 1) / 10}: ${count}</title></rect
    >`;
  });
  return frame(title, x, y, bars, [0, 0.2, 0.4, 0.6, 0.8, 1]);
};

export interface Point {
  x: number;
  y: number;
}

/** Equal points once, with how many there are: thousands of answers must not make thousands of circles. */
const merged = (points: readonly Point[], x: Axis, y: Axis): { x: number; y: number; count: number }[] => {
  const found = new Map<string, { x: number; y: number; count: number }>();
  for (const point of points) {
    const [px, py] = [Math.round(shareOf(x, point.x) * 200), Math.round(shareOf(y, point.y) * 100)];
    const known = found.get(`${px} ${py}`);
    if (known) known.count += 1;
    else found.set(`${px} ${py}`, { x: xAt(px / 200), y: yAt(py / 100), count: 1 });
  }
  return [...found.values()];
};

/** Means of y over up to `parts` stretches of x with equally many points, as a line. */
export const trend = (points: readonly Point[], parts = 8): Point[] => {
  const groups = new Map<number, number[]>();
  for (const { x, y } of points) groups.set(x, [...(groups.get(x) ?? []), y]);
  if (groups.size <= parts)
    return [...groups].sort(([a], [b]) => a - b).map(([x, ys]) => ({ x, y: meanOf(ys) }));
  const sorted = [...points].sort((a, b) => a.x - b.x);
  const size = Math.ceil(sorted.length / parts);
  return Array.from({ length: Math.ceil(sorted.length / size) }, (_, part) => {
    const own = sorted.slice(part * size, (part + 1) * size);
    return { x: meanOf(own.map(({ x }) => x)), y: meanOf(own.map(({ y }) => y)) };
  });
};

const axisOver = (label: string, values: readonly number[]): Axis => {
  const max = values.reduce((a, b) => Math.max(a, b), 0);
  const min = values.reduce((a, b) => Math.min(a, b), max);
  return { label, min: min > max / 2 && min < max ? min : 0, max: max > 0 ? max : 1 };
};

const path = (points: readonly Point[], x: Axis, y: Axis): string =>
  points
    .map((point, n) => `${n === 0 ? 'M' : 'L'}${xAt(shareOf(x, point.x))} ${yAt(shareOf(y, point.y))}`)
    .join('');

/** Points with the mean of y along x. `share`: y lies in [0, 1] and its axis shows all of it. */
export const scatter = (
  title: string,
  labels: { x: string; y: string },
  points: readonly Point[],
  share = true,
): Html => {
  const x = axisOver(
    labels.x,
    points.map((point) => point.x),
  );
  const y = share
    ? { label: labels.y, min: 0, max: 1 }
    : axisOver(
        labels.y,
        points.map((point) => point.y),
      );
  const dots = merged(points, x, y).map(
    (dot) =>
      html`<circle
        class="dot"
        cx="${dot.x}"
        cy="${dot.y}"
        r="${round(Math.min(9, 2.5 + Math.log2(dot.count)))}"
      >
        <title>${dot.count} ${dot.count === 1 ? 'answer' : 'answers'}</title></circle
      >`,
  );
  return frame(title, x, y, [...dots, html`<path class="line" d="${path(trend(points), x, y)}" />`]);
};

export interface CurvePoint extends Point {
  /** Ends of the interval of y. */
  low?: number;
  high?: number;
}

/** A measured curve with its intervals, e.g. a score per value of a setting. */
export const curve = (
  title: string,
  labels: { x: string; y: string },
  points: readonly CurvePoint[],
): Html => {
  const x = axisOver(
    labels.x,
    points.map((point) => point.x),
  );
  const y = {
    ...axisOver(
      labels.y,
      points.flatMap((point) => [point.y, point.high ?? point.y]),
    ),
    min: 0,
  };
  const marks = points.map(({ x: px, y: py, low = py, high = py }) => {
    const at = xAt(shareOf(x, px));
    return html`<line
        class="interval"
        x1="${at}"
        x2="${at}"
        y1="${yAt(shareOf(y, low))}"
        y2="${yAt(shareOf(y, high))}"
      />
      <circle class="mark" cx="${at}" cy="${yAt(shareOf(y, py))}" r="4"
        ><title>${short(px)}: ${short(py)}</title></circle
      >`;
  });
  return frame(
    title,
    x,
    y,
    [html`<path class="line" d="${path(points, x, y)}" />`, ...marks],
    points.map(({ x: px }) => px),
  );
};

/** Counts by name as horizontal bars, the largest first. */
export const countBars = (title: string, counts: Readonly<Record<string, number>>): Html => {
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const most = Math.max(1, ...entries.map(([, count]) => count));
  return html`<figure>
    <figcaption>${title}</figcaption>
    ${entries.length === 0 ? html`<p class="quiet">none</p>` : ''}
    <div class="bars">
      ${entries.map(
        ([name, count]) =>
          html`<span class="name">${name}</span
            ><span class="track"
              ><span class="fill" style="width:${round((count / most) * 100)}%"></span></span
            ><span class="count">${count}</span>`,
      )}
    </div>
  </figure>`;
};
