/** One call made on this page and its result. */
export interface Outcome {
  tool: string;
  args: unknown;
  startedAtMs: number;
  elapsedMs: number;
  state: 'succeeded' | 'tool-error' | 'rejected' | 'canceled' | 'unreachable';
  status: number;
  /** The HTTP status of the API behind the tool, if the server reports it. */
  apiStatus: string | null;
  /** The raw reply. */
  text: string;
  /** The parsed reply, if it is JSON. */
  body: unknown;
}
