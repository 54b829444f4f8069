/** An error body of the shape that a real API documents, and what of it has to reach a model: field, reason and code. */
export interface ErrorSample {
  readonly api: string;
  readonly status: number;
  /** A text as it is sent; anything else is sent as JSON. */
  readonly body: unknown;
  /** `application/json` unless said. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly says: readonly string[];
}
