import type { IncomingHttpHeaders, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';

// What the MCP surface uses of an HTTP exchange. Node's own objects fit as they are; in an app with web-standard
// requests, `mount/web-exchange.ts` provides the same.

/** One request. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Lowercase names. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
}

/** Its response. */
export interface HttpResponse {
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  readonly writableFinished: boolean;
  readonly writableLength: number;
  /** The connection, which counts large responses; null if there is none. */
  readonly socket: object | null;
  writeHead(status: number, headers?: OutgoingHttpHeaders | OutgoingHttpHeader[]): unknown;
  flushHeaders(): void;
  cork(): void;
  uncork(): void;
  write(chunk: string | Uint8Array): boolean;
  write(chunk: string, encoding: 'latin1' | 'utf8'): boolean;
  end(): unknown;
  end(chunk: string | Uint8Array): unknown;
  destroy(): unknown;
  once(event: 'close' | 'drain', listener: () => void): this;
}
