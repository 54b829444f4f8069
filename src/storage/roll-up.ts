import type { CallRecord } from '../domain/call.ts';
import { type RollupDimension, type RollupWidth, rollupWidthsMs } from '../domain/rollup.ts';
import { bucketCount, bucketOf } from '../lib/histogram.ts';
import { storable } from './call-rows.ts';

/** The columns of a roll-up in the order that `rollUp` lists them: its key, its label, then what is added up. */
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

const widths = Object.keys(rollupWidthsMs) as RollupWidth[];
const firstSum = rollupKeyColumns.length + 1;
const firstBucket = firstSum + 6;

// Names come from callers; a key must stay small whatever they send.
const longestName = 200;

/** Adds records up into rows of roll-ups, one for each dimension, width, stretch of time and name among them. */
export function rollUp(records: Iterable<CallRecord>): (string | number)[][] {
  const rows = new Map<string, (string | number)[]>();
  for (const record of records) {
    for (const [dimension, name, label] of dimensionsOf(record)) {
      for (const width of widths) {
        const widthMs = rollupWidthsMs[width];
        const startMs = Math.floor(record.startedAtMs / widthMs) * widthMs;
        const key = `${dimension} ${width} ${startMs} ${name}`;
        let row = rows.get(key);
        if (row === undefined) {
          row = [dimension, width, startMs, name, label, ...rollupSumColumns.map(() => 0)];
          rows.set(key, row);
        }
        add(row, record);
      }
    }
  }
  return [...rows.values()];
}

function add(row: (string | number)[], record: CallRecord): void {
  const sums = [
    1,
    record.outcome === 'ok' ? 0 : 1,
    record.requestBytes,
    record.replyBytes,
    record.outputTokens,
    record.durationMs,
  ];
  for (let i = 0; i < sums.length; i++) row[firstSum + i] = (row[firstSum + i] as number) + sums[i]!;
  const bucket = firstBucket + bucketOf(record.durationMs);
  row[bucket] = (row[bucket] as number) + 1;
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
