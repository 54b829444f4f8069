// Upper bounds grow by the square root of two from one millisecond to about 90 seconds, so any two histograms
// can be added, and a percentile read from one is off by less than 20%.

/** How many buckets a histogram has; the last one takes everything longer. */
export const bucketCount = 34;

/** The upper bound of each bucket except the last, in milliseconds. */
const bounds = Array.from({ length: bucketCount - 1 }, (_, i) => 2 ** (i / 2));

/** The bucket for a duration. */
export function bucketOf(durationMs: number): number {
  if (!(durationMs > 1)) return 0;
  const guess = Math.ceil(2 * Math.log2(durationMs));
  if (guess >= bucketCount) return bucketCount - 1;
  // The logarithm can be slightly off at a bound.
  return durationMs <= bounds[guess - 1]! ? guess - 1 : guess;
}

/**
 * The duration that this share (0 to 1) of all values stayed below, interpolated within its bucket; null if
 * there are no values.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [i, count] of counts.entries()) {
    if (count === 0) continue;
    if (left <= count) {
      const low = i === 0 ? 0 : bounds[i - 1]!;
      const high = bounds[i] ?? low * Math.SQRT2;
      return round(low + (high - low) * (left / count));
    }
    left -= count;
  }
  return round(bounds.at(-1)!);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
