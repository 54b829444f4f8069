import type { JsonValue } from '../../domain/json-schema.ts';
import type { BodyStream } from './body-stream.ts';

/** The body of a request: text or bytes with its content type. */
export interface RequestBody {
  readonly contentType: string;
  readonly content: string | Uint8Array | BodyStream;
  /** The body before it was written, when its fields are still addressable (a secret may become one more field). */
  readonly fields?: Readonly<Record<string, JsonValue>>;
  /** Writes the body anew with one more field, where that cannot be told from its content. */
  readonly extend?: (name: string, value: string) => RequestBody;
}

/** A request as it will be sent, without any credential. */
export interface RequestPlan {
  readonly method: string;
  readonly origin: string;
  /** Path with query, already encoded; begins with `/`. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | null;
}
