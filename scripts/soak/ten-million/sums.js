// Adds up the generated calls into the rows that the recorder would have written.
import { bucketOf } from '../../../dist/lib/histogram.js';
import { rollupSumColumns } from '../../../dist/storage/roll-up.js';
import { figuresOf, namesOf, startedAt } from './made-up-calls.js';

const widthsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const sumCount = rollupSumColumns.length;
const firstBucket = rollupSumColumns.indexOf('h0');
const minutesKeptMs = 3 * 86_400_000;

/** Sums of one dimension and width, in one block of numbers. */
class Block {
  constructor(dimension, width, names, fromMs, toMs) {
    this.dimension = dimension;
    this.width = width;
    this.names = names;
    this.widthMs = widthsMs[width];
    this.firstMs = Math.floor(fromMs / this.widthMs) * this.widthMs;
    const stretches = Math.floor((toMs - this.firstMs) / this.widthMs) + 1;
    this.sums = new Float64Array(stretches * names.length * sumCount);
  }

  add(atMs, name, failed, durationMs, bucket, replyBytes, outputTokens) {
    const stretch = Math.floor((atMs - this.firstMs) / this.widthMs);
    if (stretch < 0) return;
    const at = (stretch * this.names.length + name) * sumCount;
    const { sums } = this;
    sums[at]++;
    if (failed) sums[at + 1]++;
    sums[at + 3] += replyBytes;
    sums[at + 4] += outputTokens;
    sums[at + 5] += durationMs;
    sums[at + firstBucket + bucket]++;
  }

  *rows() {
    for (let at = 0; at < this.sums.length; at += sumCount) {
      if (this.sums[at] === 0) continue;
      const place = at / sumCount;
      const [name, label] = this.names[place % this.names.length];
      const startMs = this.firstMs + Math.floor(place / this.names.length) * this.widthMs;
      yield [this.dimension, this.width, startMs, name, label, ...this.sums.subarray(at, at + sumCount)];
    }
  }
}

/** The roll-ups of the first `wanted` calls. Those by minute are kept for three days, like the retention does. */
export function* rollupRows(wanted, toMs) {
  const dimensions = { all: [['', '']], ...namesOf };
  const fromMs = startedAt(0, wanted, toMs);
  const blocks = Object.entries(dimensions).map(([dimension, names]) => [
    dimension,
    Object.keys(widthsMs).map(
      (width) => new Block(dimension, width, names, width === 'minute' ? toMs - minutesKeptMs : fromMs, toMs),
    ),
  ]);
  for (let i = 0; i < wanted; i++) {
    const figures = figuresOf(i);
    const atMs = startedAt(i, wanted, toMs);
    const bucket = bucketOf(figures.durationMs);
    for (const [dimension, widths] of blocks) {
      const name = dimension === 'all' ? 0 : figures[dimension];
      for (const block of widths) {
        block.add(
          atMs,
          name,
          figures.outcome !== 0,
          figures.durationMs,
          bucket,
          figures.replyBytes,
          figures.outputTokens,
        );
      }
    }
  }
  for (const [, widths] of blocks) for (const block of widths) yield* block.rows();
}
