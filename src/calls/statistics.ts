import { outcomesIn } from '../domain/call.ts';
import type { Rollup, RollupDimension, RollupWidth } from '../domain/rollup.ts';
import { bucketCount, percentile } from '../lib/histogram.ts';
import type { RollupStore } from '../storage/ports.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * How a range is charted: its length, the width of a point, and which roll-ups the points and groups are read from.
 */
interface RangeResolution {
  readonly lengthMs: number;
  readonly stepMs: number;
  readonly points: RollupWidth;
  readonly groups: RollupWidth;
}

/** The ranges that can be requested. Longer ones are coarser, so that none reads more than a few thousand rows. */
export const ranges = {
  '15m': { lengthMs: 15 * minute, stepMs: minute, points: 'minute', groups: 'minute' },
  '1h': { lengthMs: hour, stepMs: minute, points: 'minute', groups: 'minute' },
  '6h': { lengthMs: 6 * hour, stepMs: 5 * minute, points: 'minute', groups: 'minute' },
  '24h': { lengthMs: day, stepMs: 15 * minute, points: 'minute', groups: 'hour' },
  '7d': { lengthMs: 7 * day, stepMs: 2 * hour, points: 'hour', groups: 'hour' },
  '30d': { lengthMs: 30 * day, stepMs: 6 * hour, points: 'hour', groups: 'day' },
  '90d': { lengthMs: 90 * day, stepMs: day, points: 'day', groups: 'day' },
  '1y': { lengthMs: 365 * day, stepMs: day, points: 'day', groups: 'day' },
} as const satisfies Record<string, RangeResolution>;

export type Range = keyof typeof ranges;

/** Sums over a period of time. */
export type Sums = Omit<Rollup, 'dimension' | 'width' | 'name' | 'label' | 'startMs'>;

/** Failures by whose fault they were. */
export type Faults = Readonly<Record<'agent' | 'api' | 'gateway', number>>;

export interface Statistics {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly totals: Sums;
  readonly previous: Sums;
  readonly series: readonly (Sums & { readonly startMs: number })[];
  /** Failures of each point by whose fault they were; null if only some of the calls are included. */
  readonly faults: readonly Faults[] | null;
  readonly groups: readonly (Sums & { readonly name: string; readonly label: string })[];
  readonly errorMap: {
    readonly columns: readonly number[];
    readonly rows: readonly {
      readonly name: string;
      readonly label: string;
      readonly errors: readonly number[];
    }[];
  };
}

const maxErrorRows = 30;
// More would be too narrow to tell apart, let alone to point at.
const maxErrorColumns = 62;

/** Statistics for a range that ends now, over time and by one dimension. */
export async function readStatistics(
  rollups: RollupStore,
  question: {
    readonly range: Range;
    readonly by: Exclude<RollupDimension, 'all' | 'caller_tool'>;
    readonly name?: string | undefined;
    readonly top: number;
    /** What groups are sorted by, in descending order. */
    readonly order: 'calls' | 'tokens';
  },
  nowMs: number,
): Promise<Statistics> {
  const { lengthMs, stepMs, points, groups: groupWidth }: RangeResolution = ranges[question.range];
  const { by, name } = question;
  const weight = question.order === 'tokens' ? readTokens : ({ calls }: Sums) => calls;
  const fromMs = Math.floor((nowMs - lengthMs) / stepMs) * stepMs;
  const toMs = nowMs + 1;
  const dimension = name === undefined ? 'all' : by;
  const groupsFromMs = Math.floor(fromMs / widthMs[groupWidth]) * widthMs[groupWidth];
  const finestMs = Math.max(stepMs, widthMs[groupWidth]);
  const columnMs = finestMs * Math.ceil((toMs - groupsFromMs) / finestMs / maxErrorColumns);
  const [drawn, previous, groups, failed, outcomes] = await Promise.all([
    rollups.find({ dimension, width: points, fromMs, toMs, name }),
    rollups.sumByName({ dimension, width: points, fromMs: fromMs - lengthMs, toMs: fromMs, name }),
    rollups.sumByName({ dimension: by, width: groupWidth, fromMs: groupsFromMs, toMs, name }),
    rollups.findErrors({ dimension: by, width: groupWidth, fromMs: groupsFromMs, toMs, name }),
    name === undefined ? rollups.findErrors({ dimension: 'outcome', width: points, fromMs, toMs }) : null,
  ]);
  const series = Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, i) => ({
    startMs: fromMs + i * stepMs,
    ...emptySums(),
  }));
  for (const row of drawn) addTo(series[Math.floor((row.startMs - fromMs) / stepMs)]!, row);
  return {
    fromMs,
    toMs: nowMs,
    stepMs,
    totals: sumOf(series),
    previous: sumOf(previous),
    series,
    faults:
      outcomes && faultsOf(outcomes, series.length, (startMs) => Math.floor((startMs - fromMs) / stepMs)),
    groups: [...groups].sort((a, b) => weight(b) - weight(a) || byName(a, b)).slice(0, question.top),
    errorMap: errorMapOf(failed, groupsFromMs, toMs, columnMs),
  };
}

/** Which caller called which tool how often: a row for each caller, a column for each tool, the busiest first. */
export interface Pivot {
  readonly callers: readonly { readonly name: string; readonly label: string }[];
  readonly tools: readonly string[];
  /** Calls and failures of each caller, tool by tool. */
  readonly cells: readonly (readonly (readonly [calls: number, errors: number])[])[];
}

const maxPivotCallers = 12;
const maxPivotTools = 10;

/** Calls by caller and tool in a range that ends now. */
export async function readPivot(
  rollups: Pick<RollupStore, 'sumByName'>,
  range: Range,
  nowMs: number,
): Promise<Pivot> {
  const { lengthMs, groups: width }: RangeResolution = ranges[range];
  const fromMs = Math.floor((nowMs - lengthMs) / widthMs[width]) * widthMs[width];
  const rows = await rollups.sumByName({ dimension: 'caller_tool', width, fromMs, toMs: nowMs + 1 });
  const pairs = rows.map(({ name, label, calls, errors }) => {
    const space = name.lastIndexOf(' ');
    return { caller: name.slice(0, space), tool: name.slice(space + 1), label, calls, errors };
  });
  const labels = new Map(pairs.map(({ caller, label }) => [caller, label]));
  const callers = busiest(pairs, ({ caller }) => caller, maxPivotCallers);
  const tools = busiest(pairs, ({ tool }) => tool, maxPivotTools);
  const sums = new Map(
    pairs.map(({ caller, tool, calls, errors }) => [`${caller} ${tool}`, [calls, errors] as const]),
  );
  return {
    callers: callers.map((name) => ({ name, label: labels.get(name) ?? name })),
    tools,
    cells: callers.map((caller) => tools.map((tool) => sums.get(`${caller} ${tool}`) ?? [0, 0])),
  };
}

function busiest<T extends { readonly calls: number }>(
  rows: readonly T[],
  nameOf: (row: T) => string,
  top: number,
): string[] {
  const calls = new Map<string, number>();
  for (const row of rows) calls.set(nameOf(row), (calls.get(nameOf(row)) ?? 0) + row.calls);
  return [...calls]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, top)
    .map(([name]) => name);
}

/** Recent use, by one dimension. */
export interface Usage extends Sums {
  readonly name: string;
  /** The start of the hour in which it was last called. */
  readonly lastHourMs: number;
  /** Calls and failures of each hour, oldest first. */
  readonly hours: readonly (readonly [calls: number, errors: number])[];
}

const usageHours = 24;
const maxUsageRows = 2_000;

/** What was called in the last 24 hours, and when, so that a list can show it next to each item. */
export async function readUsage(
  rollups: Pick<RollupStore, 'find'>,
  by: RollupDimension,
  nowMs: number,
): Promise<readonly Usage[]> {
  const fromMs = Math.floor(nowMs / hour) * hour - (usageHours - 1) * hour;
  const rows = await rollups.find({ dimension: by, width: 'hour', fromMs, toMs: nowMs + 1 });
  const found = new Map<
    string,
    { name: string; lastHourMs: number; hours: [number, number][]; sums: MutableSums }
  >();
  for (const row of rows) {
    let used = found.get(row.name);
    if (used === undefined) {
      if (found.size >= maxUsageRows) continue;
      const hours = Array.from({ length: usageHours }, (): [number, number] => [0, 0]);
      found.set(row.name, (used = { name: row.name, lastHourMs: 0, hours, sums: emptySums() }));
    }
    addTo(used.sums, row);
    used.lastHourMs = Math.max(used.lastHourMs, row.startMs);
    const at = used.hours[Math.floor((row.startMs - fromMs) / hour)];
    if (at === undefined) continue;
    at[0] += row.calls;
    at[1] += row.errors;
  }
  return [...found.values()].map(({ sums, ...used }) => ({ ...used, ...sums }));
}

function faultsOf(
  outcomes: readonly Pick<Rollup, 'name' | 'startMs' | 'errors'>[],
  points: number,
  pointAt: (startMs: number) => number,
): Faults[] {
  const faults = Array.from({ length: points }, () => ({ agent: 0, api: 0, gateway: 0 }));
  for (const { name, startMs, errors } of outcomes) {
    const point = faults[pointAt(startMs)];
    const kind = faultKinds.find((one) => outcomesIn(one)?.some((code) => code === name));
    // A code that this version doesn't know can't be attributed.
    if (point !== undefined && kind !== undefined) point[kind] += errors;
  }
  return faults;
}

const faultKinds = ['agent', 'api', 'gateway'] as const;

// Ties are sorted by name, because a database returns rows in any order.
const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** The tokens that models read. */
export function readTokens({ outputTokens, savedTokens }: Sums): number {
  return outputTokens - savedTokens;
}

const widthMs: Readonly<Record<RollupWidth, number>> = { minute, hour, day };

function errorMapOf(
  rows: readonly Pick<Rollup, 'name' | 'label' | 'startMs' | 'errors'>[],
  fromMs: number,
  toMs: number,
  columnMs: number,
): Statistics['errorMap'] {
  const columns = Array.from(
    { length: Math.ceil((toMs - fromMs) / columnMs) },
    (_, i) => fromMs + i * columnMs,
  );
  const lines = new Map<string, { name: string; label: string; errors: number[]; sum: number }>();
  for (const row of rows) {
    let line = lines.get(row.name);
    if (line === undefined) {
      line = { name: row.name, label: row.label, errors: columns.map(() => 0), sum: 0 };
      lines.set(row.name, line);
    }
    const column = Math.floor((row.startMs - fromMs) / columnMs);
    line.errors[column] = (line.errors[column] ?? 0) + row.errors;
    line.sum += row.errors;
  }
  const worst = [...lines.values()].sort((a, b) => b.sum - a.sum || byName(a, b)).slice(0, maxErrorRows);
  return { columns, rows: worst.map(({ sum: _sum, ...line }) => line) };
}

interface MutableSums {
  calls: number;
  errors: number;
  requestBytes: number;
  replyBytes: number;
  outputTokens: number;
  savedTokens: number;
  durationMs: number;
  histogram: number[];
}

function emptySums(): MutableSums {
  return {
    calls: 0,
    errors: 0,
    requestBytes: 0,
    replyBytes: 0,
    outputTokens: 0,
    savedTokens: 0,
    durationMs: 0,
    histogram: Array.from({ length: bucketCount }, () => 0),
  };
}

function addTo(sum: MutableSums, row: Sums): void {
  sum.calls += row.calls;
  sum.errors += row.errors;
  sum.requestBytes += row.requestBytes;
  sum.replyBytes += row.replyBytes;
  sum.outputTokens += row.outputTokens;
  sum.savedTokens += row.savedTokens;
  sum.durationMs += row.durationMs;
  for (const [i, count] of row.histogram.entries()) sum.histogram[i]! += count;
}

/** The sum of all rows. */
export function sumOf(rows: Iterable<Sums>): Sums {
  const sum = emptySums();
  for (const row of rows) addTo(sum, row);
  return sum;
}

/** The latencies derived from sums, in milliseconds; null if nothing was called. */
export function latencyOf({ calls, durationMs, histogram }: Sums) {
  if (calls === 0) return null;
  const at = (share: number) => percentile(histogram, share) ?? 0;
  return {
    meanMs: Math.round((durationMs / calls) * 100) / 100,
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
  };
}
