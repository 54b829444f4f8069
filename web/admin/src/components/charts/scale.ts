const targetTicks = 4;

/** Round numbers from 0 to at least `max` for an axis; only `whole` ones for counts, such as calls. */
export function ticksTo(max: number, whole = false): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = whole ? Math.max(1, max / targetTicks) : max / targetTicks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10]
      .map((factor) => factor * power)
      .find((size) => size >= rough && (!whole || Number.isInteger(size))) ?? 10 * power;
  const ticks: number[] = [];
  for (let tick = 0; tick < max + step; tick += step) ticks.push(Number(tick.toPrecision(12)));
  return ticks;
}

/** Places for `count` labels among points, evenly from the first to the last. */
export function labelPlaces(points: number, count: number): number[] {
  if (points < 2) return points === 1 ? [0] : [];
  const labels = Math.min(points, Math.max(2, count));
  return Array.from({ length: labels }, (_, at) => Math.round((at * (points - 1)) / (labels - 1)));
}

/** Values with straight lines across gaps; nothing before the first or after the last one. */
export function bridge(values: readonly (number | null)[]): (number | null)[] {
  const bridged = [...values];
  let last: number | null = null;
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    if (last !== null) {
      const from = values[last]!;
      for (let gap = last + 1; gap < at; gap += 1)
        bridged[gap] = from + ((value - from) * (gap - last)) / (at - last);
    }
    last = at;
  }
  return bridged;
}

/** An SVG path through points; null leaves a gap. */
export function pathThrough(points: readonly (readonly [number, number | null])[]): string {
  let drawing = false;
  let path = '';
  for (const [x, y] of points) {
    if (y === null) {
      drawing = false;
      continue;
    }
    path += `${drawing ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    drawing = true;
  }
  return path;
}

/** An SVG path around the area between two lines. A gap in either is a gap in the area. */
export function bandBetween(
  points: readonly (readonly [x: number, upper: number | null, lower: number | null])[],
): string {
  let path = '';
  let stretch: (readonly [number, number, number])[] = [];
  const close = () => {
    if (stretch.length > 1) {
      const there = stretch.map(([x, upper]) => `${x.toFixed(1)} ${upper.toFixed(1)}`);
      const back = stretch.toReversed().map(([x, , lower]) => `${x.toFixed(1)} ${lower.toFixed(1)}`);
      path += `M${[...there, ...back].join('L')}Z`;
    }
    stretch = [];
  };
  for (const [x, upper, lower] of points) {
    if (upper === null || lower === null) close();
    else stretch.push([x, upper, lower]);
  }
  close();
  return path;
}

/** An SVG path around the area between points and the baseline; null leaves a gap. */
export function areaBelow(points: readonly (readonly [number, number | null])[], ground: number): string {
  let path = '';
  let from: number | null = null;
  let to = 0;
  const close = () => {
    if (from !== null) path += `L${to.toFixed(1)} ${ground}L${from.toFixed(1)} ${ground}Z`;
    from = null;
  };
  for (const [x, y] of points) {
    if (y === null) {
      close();
      continue;
    }
    path += `${from === null ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    from ??= x;
    to = x;
  }
  close();
  return path;
}
