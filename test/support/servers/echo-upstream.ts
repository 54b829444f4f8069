import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { neverIdlesOut } from './http-server.ts';

/** One request as it arrived, byte for byte where it matters. */
export interface SeenRequest {
  readonly method: string;
  /** The request target as it stood on the request line. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** An upstream that answers with what it was asked, and remembers it. */
export interface EchoUpstream {
  readonly origin: string;
  readonly host: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

export async function startEcho(): Promise<EchoUpstream> {
  const seen: SeenRequest[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const request: SeenRequest = {
        method: req.method ?? '',
        target: req.url ?? '',
        headers: req.headers,
        rawHeaders: req.rawHeaders,
        body: Buffer.concat(chunks),
      };
      seen.push(request);
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(
        JSON.stringify({
          method: request.method,
          target: request.target,
          body: request.body.toString('utf8').slice(0, 1000),
        }),
      );
    });
  });
  neverIdlesOut(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
