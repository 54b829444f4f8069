import type { CallRecord } from '../domain/call.ts';
import { type RollupDimension, type RollupWidth, rollupWidthsMs } from '../domain/rollup.ts';
import { bucketCount, bucketOf } from '../lib/histogram.ts';
import { storable } from './call-rows.ts';

/** The columns of a roll-up in the order of a row: its key, its label, then what is added up. */
export const rollupKeyColumns = ['dimension', 'width', 'start_ms', 'name'] as const;
export const rollupSumColumns = [
  'calls',
  'errors',
  'request_bytes',
  'reply_bytes',
  'output_tokens',
  'duration_ms',
  ...Array.from({ length: bucketCount }, (_, i) => `h${i}` as const),
] as const;
export const rollupColumns = [...rollupKeyColumns, 'label', ...rollupSumColumns] as const;

/** The values of `rollupColumns`. */
export type RollupRow = (string | number)[];

const widths = Object.keys(rollupWidthsMs) as RollupWidth[];
const firstSum = rollupKeyColumns.length + 1;
const firstBucket = firstSum + 6;

// Names come from callers; a key must stay small whatever they send.
const longestName = 200;

/** Adds records up in memory into rows, one for each dimension, width, stretch of time and name among them. */
export class RollupSums {
  readonly #rows = new Map<string, RollupRow>();

  /** How many rows there are. */
  get size(): number {
    return this.#rows.size;
  }

  add(record: CallRecord): void {
    const bucket = firstBucket + bucketOf(record.durationMs);
    for (const [dimension, name, label] of dimensionsOf(record)) {
      for (const width of widths) {
        const row = this.#rowFor(dimension, width, record.startedAtMs, name, label);
        (row[firstSum] as number)++;
        if (record.outcome !== 'ok') (row[firstSum + 1] as number)++;
        (row[firstSum + 2] as number) += record.requestBytes;
        (row[firstSum + 3] as number) += record.replyBytes;
        (row[firstSum + 4] as number) += record.outputTokens;
        (row[firstSum + 5] as number) += record.durationMs;
        (row[bucket] as number)++;
      }
    }
  }

  /** Hands the rows over and starts anew. */
  take(): RollupRow[] {
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    return rows;
  }

  /** Takes rows back that could not be written. */
  restore(rows: readonly RollupRow[]): void {
    for (const row of rows) {
      const key = keyOf(row[0] as string, row[1] as string, row[2] as number, row[3] as string);
      const known = this.#rows.get(key);
      if (known === undefined) this.#rows.set(key, row);
      else for (let i = firstSum; i < row.length; i++) (known[i] as number) += row[i] as number;
    }
  }

  #rowFor(
    dimension: RollupDimension,
    width: RollupWidth,
    atMs: number,
    name: string,
    label: string,
  ): RollupRow {
    const widthMs = rollupWidthsMs[width];
    const startMs = Math.floor(atMs / widthMs) * widthMs;
    const key = keyOf(dimension, width, startMs, name);
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = [dimension, width, startMs, name, label, ...rollupSumColumns.map(() => 0)];
      this.#rows.set(key, row);
    }
    return row;
  }
}

function keyOf(dimension: string, width: string, startMs: number, name: string): string {
  return `${dimension} ${width} ${startMs} ${name}`;
}

function dimensionsOf(record: CallRecord): [RollupDimension, string, string][] {
  const text = (value: string) => storable(value).slice(0, longestName);
  const tool = text(record.toolName);
  const server = text(record.serverSlug);
  const client = text(record.clientName ?? '');
  return [
    ['all', '', ''],
    ['tool', tool, tool],
    ['server', server, server],
    ['caller', text(record.callerId), text(record.callerLabel)],
    ['client', client, client === '' ? 'unknown' : client],
    ['outcome', record.outcome, record.outcome],
  ];
}
