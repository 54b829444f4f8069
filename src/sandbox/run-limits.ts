/** What one run may use. */
export interface RunLimits {
  readonly memoryBytes: number;
  /** Time in which the script itself computes. */
  readonly cpuMs: number;
  /** Time from its beginning to its end, waiting included. */
  readonly wallMs: number;
  readonly calls: number;
  readonly callsAtOnce: number;
  /** The longest text that it may return, and that one call may send. */
  readonly resultChars: number;
  /** All that it prints and shows together. */
  readonly outputChars: number;
}
