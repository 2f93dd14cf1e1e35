/** Geometry of line charts: ticks, and lines with no more points than can be seen. */

export type Point = [number, number];
export type Scale = (value: number) => number;

/** A scale from values to pixels. */
export function scaleOf(low: number, high: number, from: number, to: number): Scale {
  return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
}

/** Round numbers from low to high, about as many as wanted, no closer than `least`. */
export function ticksOf(low: number, high: number, wanted: number, least = 0): number[] {
  const rough = Math.max((high - low) / Math.max(1, wanted), Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.999)!);
  const found: number[] = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9 && found.length < 50; n++) found.push(n * step + 0); // no -0
  return found;
}

/** Of the points in each column of pixels, the first, lowest, highest and last. */
export function thin(points: readonly Point[], x: Scale): Point[] {
  const kept: Point[] = [];
  for (let from = 0; from < points.length; ) {
    const column = Math.round(x(points[from]![0]));
    let [low, high, to] = [from, from, from];
    for (; to < points.length && Math.round(x(points[to]![0])) === column; to++) {
      if (points[to]![1] < points[low]![1]) low = to;
      if (points[to]![1] > points[high]![1]) high = to;
    }
    for (const n of [...new Set([from, Math.min(low, high), Math.max(low, high), to - 1])]) kept.push(points[n]!);
    from = to;
  }
  return kept;
}

/** The `d` of a line. */
export function lineOf(points: readonly Point[], x: Scale, y: Scale): string {
  return points.length ? `M${points.map((point) => `${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`).join("L")}` : "";
}

/** The `d` of an area between low and high ends. */
export function areaOf(band: readonly [number, number, number][], x: Scale, y: Scale): string {
  const low = thin(band.map(([at, end]) => [at, end]), x);
  const high = thin(band.map(([at, , end]) => [at, end]), x);
  return low.length ? `${lineOf([...low, ...high.reverse()], x, y)}Z` : "";
}
