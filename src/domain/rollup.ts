/** The dimensions of roll-ups; `all` is everything together. */
export const rollupDimensions = [
  'all',
  'tool',
  'api',
  'server',
  'caller',
  'client',
  'outcome',
  'caller_tool',
] as const;

export type RollupDimension = (typeof rollupDimensions)[number];

/** The time widths of roll-ups. */
export const rollupWidthsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

export type RollupWidth = keyof typeof rollupWidthsMs;

/** Totals of the calls in one time interval, by one dimension. */
export interface Rollup {
  readonly dimension: RollupDimension;
  readonly width: RollupWidth;
  /**
   * A tool's name, an API's slug, a server's slug, a caller's id, a client's name or an outcome; empty for `all`; for
   * `caller_tool`, a caller's id and, after the last space, a tool's name.
   */
  readonly name: string;
  /** A readable name. */
  readonly label: string;
  /** The start of the interval. */
  readonly startMs: number;
  readonly calls: number;
  readonly errors: number;
  readonly requestBytes: number;
  readonly replyBytes: number;
  readonly outputTokens: number;
  readonly savedTokens: number;
  readonly durationMs: number;
  /** Durations by the buckets of lib/histogram.ts. */
  readonly histogram: readonly number[];
}
