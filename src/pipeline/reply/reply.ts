import type { FileFacts, PlacedFile, ReceivedFile } from '../files.ts';

/** What came back from the upstream, complete and decoded. */
export interface Reply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** How it got here. */
  readonly tries: number;
  readonly cached: boolean;
  /** Time until the last byte, all tries together. */
  readonly upstreamMs: number;
  /** A stream that had not ended when the time, or the room, for it was over: the body is what had come until then. */
  readonly cut?: 'time' | 'size';
  /** The body went into the store, because it is a file: `body` is empty. */
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

/** Everything that an API sent, as far as anyone may read it: masked and scrubbed, but not marked, cut or made readable. */
export type WholeReply = { readonly mediaType: string; readonly name: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** It is in the store already. */
  | { readonly kind: 'kept'; readonly file: PlacedFile }
);

/** A reply as MCP content. */
export interface Output {
  readonly content: readonly Content[];
  /** JSON text of `structuredContent`: an object that the tool's output schema takes; null when there is none. */
  readonly structuredText: string | null;
  /** What its record says about it, for the operator. */
  readonly note?: string;
  /** What is told of a reply that is a file, where its content must not be. */
  readonly file?: () => FileFacts;
  /** Made when somebody wants to keep it; absent where the content is all there is. */
  readonly whole?: () => WholeReply;
}
