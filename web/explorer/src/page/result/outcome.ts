/** One call of this page and what came of it. */
export interface Outcome {
  tool: string;
  args: unknown;
  startedAtMs: number;
  elapsedMs: number;
  state: 'succeeded' | 'tool-error' | 'refused' | 'cancelled' | 'unreachable';
  status: number;
  /** What the API behind the tool answered, where the server says so. */
  apiStatus: string | null;
  /** The answer as it came. */
  text: string;
  /** The answer parsed, when it is JSON. */
  body: unknown;
}
