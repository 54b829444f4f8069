import { type CallRecord, isFailure, savedTokens } from '../domain/call.ts';
import { type RollupDimension, rollupWidthsMs } from '../domain/rollup.ts';
import { bucketCount, bucketOf } from '../lib/histogram.ts';
import { keysOf } from '../lib/json/plain-object.ts';
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
  'saved_tokens',
] as const;
export const rollupColumns = [...rollupKeyColumns, 'label', ...rollupSumColumns] as const;

/** The values of `rollupColumns`. */
export type RollupRow = [
  dimension: string,
  width: string,
  startMs: number,
  name: string,
  label: string,
  ...sums: number[],
];

const widths = keysOf(rollupWidthsMs);
const firstSum = rollupKeyColumns.length + 1;

// Names come from callers; a key must stay small whatever they send.
const longestName = 200;

type Example = Pick<
  CallRecord,
  'toolName' | 'apiSlug' | 'callerId' | 'callerLabel' | 'outcome' | 'serverSlug' | 'clientName'
>;

/** Calls that agree in everything a roll-up tells apart, within one minute. */
interface Cell {
  /** What they agree in. */
  readonly example: Example;
  readonly startMs: number;
  /** From `calls` on, in the order of `rollupSumColumns`. */
  readonly sums: number[];
}

/**
 * Adds records up in memory. A call counts in many rows, one for each dimension, width, stretch of time and name; so
 * calls are first counted by what they agree in, and rows are made of that when they are handed over.
 */
export class RollupSums {
  readonly #cells = new Map<string, Cell>();
  readonly #restored = new Map<string, RollupRow>();
  // Calls that agree tend to follow each other.
  #last: Cell | null = null;

  /** How many there are to hand over, cells or rows. */
  get size(): number {
    return this.#cells.size + this.#restored.size;
  }

  add(record: CallRecord): void {
    const minute = Math.floor(record.startedAtMs / rollupWidthsMs.minute);
    const startMs = minute * rollupWidthsMs.minute;
    if (this.#last === null || this.#last.startMs !== startMs || !agree(this.#last.example, record))
      this.#last = this.#cellOf(record, startMs);
    const { sums } = this.#last;
    sums[0]!++;
    if (isFailure(record.outcome)) sums[1]!++;
    sums[2]! += record.requestBytes;
    sums[3]! += record.replyBytes;
    sums[5]! += record.durationMs;
    sums[6 + bucketOf(record.durationMs)]!++;
    // A page that was read only as part of the gathered pages counts there.
    if (record.readTokens === 0) return;
    sums[4]! += record.outputTokens;
    if (record.readTokens !== null) sums[6 + bucketCount]! += savedTokens(record);
  }

  /** Takes over what others were added up to. */
  absorb(other: RollupSums): void {
    for (const { example, startMs, sums } of other.#cells.values()) {
      const own = this.#cellOf(example, startMs).sums;
      for (const [i, sum] of sums.entries()) own[i]! += sum;
    }
  }

  #cellOf(example: Example, startMs: number): Cell {
    const key = `${startMs} ${example.outcome} ${example.serverSlug} ${example.callerId}\n${example.apiSlug ?? ''}\n${example.toolName}\n${example.clientName ?? ''}`;
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      const { toolName, apiSlug, callerId, callerLabel, outcome, serverSlug, clientName } = example;
      cell = {
        example: { toolName, apiSlug, callerId, callerLabel, outcome, serverSlug, clientName },
        startMs,
        sums: rollupSumColumns.map(() => 0),
      };
      this.#cells.set(key, cell);
    }
    return cell;
  }

  /** Returns the rows and starts over. */
  take(): RollupRow[] {
    const rows = new Map(this.#restored);
    for (const { example, startMs, sums } of this.#cells.values()) {
      for (const [dimension, name, label] of dimensionsOf(example)) {
        for (const width of widths) {
          const widthMs = rollupWidthsMs[width];
          addRow(rows, [dimension, width, Math.floor(startMs / widthMs) * widthMs, name, label, ...sums]);
        }
      }
    }
    this.#cells.clear();
    this.#last = null;
    this.#restored.clear();
    return [...rows.values()];
  }

  /** Takes rows back that could not be written. */
  restore(rows: readonly RollupRow[]): void {
    for (const row of rows) addRow(this.#restored, row);
  }
}

function agree(one: Example, other: Example): boolean {
  return (
    one.toolName === other.toolName &&
    one.apiSlug === other.apiSlug &&
    one.callerId === other.callerId &&
    one.outcome === other.outcome &&
    one.serverSlug === other.serverSlug &&
    one.clientName === other.clientName
  );
}

function addRow(rows: Map<string, RollupRow>, row: RollupRow): void {
  const key = `${row[0]} ${row[1]} ${row[2]} ${row[3]}`;
  const known = rows.get(key);
  if (known === undefined) {
    rows.set(key, row);
    return;
  }
  for (let i = firstSum; i < row.length; i++) {
    const sum = known[i];
    const more = row[i];
    if (typeof sum === 'number' && typeof more === 'number') known[i] = sum + more;
  }
}

type Row = [RollupDimension, string, string];

function dimensionsOf(record: Example): Row[] {
  const text = (value: string) => storable(value.slice(0, longestName));
  const tool = text(record.toolName);
  const api = text(record.apiSlug ?? '');
  const server = text(record.serverSlug);
  const client = text(record.clientName ?? '');
  const caller = text(record.callerId);
  const callerLabel = text(record.callerLabel);
  return [
    ['all', '', ''],
    // A name that no tool has is its caller's invention, and there is no end of them.
    ...(tool === '' || record.outcome === 'unknown_tool'
      ? []
      : ([
          ['tool', tool, tool],
          ['caller_tool', `${caller} ${tool}`, callerLabel],
        ] as Row[])),
    ...(api === '' ? [] : [['api', api, api] as Row]),
    ['server', server, server],
    ['caller', caller, callerLabel],
    ['client', client, client === '' ? 'unknown' : client],
    ['outcome', record.outcome, record.outcome],
  ];
}
