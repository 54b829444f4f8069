import type { FileFacts, PlacedFile, ReceivedFile } from '../files.ts';

/** Lower-case names. */
type Headers = Readonly<Record<string, string>>;

/** The upstream's response, complete and decoded. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** How many attempts it took. */
  readonly tries: number;
  readonly cached: boolean;
  /** Time until the last byte, over all attempts. */
  readonly upstreamMs: number;
  /** Set for a stream that was cut off at the time or size limit: the body is what had arrived by then. */
  readonly cut?: 'time' | 'size';
  /** Set if the reply is a file that was written into the store: `body` is empty. */
  readonly file?: ReceivedFile;
}

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size: number;
    };

/** The full reply that callers may read: secrets masked and phrases removed, but not wrapped, cut or reformatted. */
export type WholeReply = { readonly mediaType: string; readonly name: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Already in the store. */
  | { readonly kind: 'kept'; readonly file: PlacedFile }
);

/** The error reply of an API as data. */
export interface ErrorAnswer {
  readonly headers: Headers;
  /** The beginning of a long one. */
  readonly text: string;
}

/** A reply as MCP content. */
export interface Output {
  readonly content: readonly Content[];
  /** JSON text of `structuredContent`, an object that matches the tool's output schema; null if there is none. */
  readonly structuredText: string | null;
  /** A note for the call record, for the operator. */
  readonly note?: string;
  /** How to continue, for a call of a script: the content is data there and stays as it is. */
  readonly continuation?: string;
  /** The reply's headers, for a call of a script. */
  readonly headers?: () => Headers;
  /** Describes a reply that is a file, where its content must not appear. */
  readonly file?: () => FileFacts;
  /** Builds the full reply when it is to be stored; absent if the content is already complete. */
  readonly whole?: () => WholeReply;
}
