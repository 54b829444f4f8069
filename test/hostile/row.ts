/** How a hostile input gets in. */
export type WayIn =
  /** Bytes on a socket, as they are. */
  | { readonly by: 'socket'; readonly bytes: string | Buffer; readonly halfClose?: boolean }
  /** A request with whatever headers and body. */
  | {
      readonly by: 'http';
      readonly method: string;
      readonly path: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
    }
  /** Arguments of the tool `probe`, which echoes what it was sent. */
  | { readonly by: 'call'; readonly arguments: unknown; readonly tool?: string }
  /** What the API answers, byte by byte, when a tool is called. */
  | {
      readonly by: 'reply';
      readonly bytes: string | Buffer;
      readonly thenHang?: boolean;
      readonly tool?: string;
    }
  /** A document that an editor imports. */
  | { readonly by: 'import'; readonly document: string; readonly name?: string }
  /** A request of an editor to the admin API. */
  | { readonly by: 'admin'; readonly method: string; readonly path: string; readonly body: string };

/** What must come of it. */
export type Expected =
  /** One of these statuses; 0 means that the connection is closed without an answer. */
  | { readonly status: readonly number[] }
  /** The call is refused before anything is sent. */
  | 'refused'
  /** Refused, or sent in its own place and nowhere else. */
  | 'in place'
  /** The call fails, and says why. */
  | 'failed'
  /** The call succeeds or fails with a reason. */
  | 'answered';

/** One line of the catalogue. */
export interface Row {
  readonly what: string;
  readonly way: WayIn;
  readonly expected: Expected;
}

/** Statuses that are a reasoned no: never one that means we broke. */
export const anyRefusal: Expected = {
  status: [400, 401, 403, 404, 405, 406, 409, 411, 413, 414, 415, 417, 422, 428, 429, 431, 501, 0],
};
