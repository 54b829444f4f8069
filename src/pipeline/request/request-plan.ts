import type { JsonValue } from '../../domain/json-schema.ts';
import type { BodyStream } from './body-stream.ts';

/** The body of a request: text or bytes with its content type. */
export interface RequestBody {
  readonly contentType: string;
  readonly content: string | Uint8Array | BodyStream;
  /** The fields before serialization, if the body has any (a secret may be added as one more field). */
  readonly fields?: Readonly<Record<string, JsonValue>>;
  /** Serializes the body again with one more field, where that cannot be done from its content. */
  readonly extend?: (name: string, value: string) => RequestBody;
}

/** A request ready to be signed and sent, without its credential. */
export interface RequestPlan {
  readonly method: string;
  readonly origin: string;
  /** Path with query, already encoded; begins with `/`. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | null;
}
