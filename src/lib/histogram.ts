// Upper bounds grow by the square root of two from one millisecond to about a minute and a half, so that histograms of
// any two moments can be added up and a percentile read from them is off by less than a fifth.

/** How many buckets a histogram has; the last takes everything longer. */
export const bucketCount = 34;

/** The upper bound of each bucket but the last, in milliseconds. */
const bounds = Array.from({ length: bucketCount - 1 }, (_, i) => 2 ** (i / 2));

/** The bucket that a duration falls into. */
export function bucketOf(durationMs: number): number {
  if (!(durationMs > 1)) return 0;
  const guess = Math.ceil(2 * Math.log2(durationMs));
  if (guess >= bucketCount) return bucketCount - 1;
  // The logarithm may be off by a hair at a bound.
  return durationMs <= bounds[guess - 1]! ? guess - 1 : guess;
}

/** The duration that this share (0 to 1) of all stayed below, estimated within its bucket; null when there are none. */
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
