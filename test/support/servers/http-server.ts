import { createServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server of a test, on a free port of 127.0.0.1. */
export interface TestServer {
  readonly origin: string;
  readonly port: number;
  /** Requests or connections so far. */
  readonly seen: number;
  close(): Promise<void>;
}

/** Lets idle connections stay open: one that its server ends may end just when a client sends its next request. */
export function neverIdlesOut(server: HttpServer): void {
  server.keepAliveTimeout = 0;
}

/** Serves HTTP with one listener until closed. */
export async function serveHttp(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<TestServer> {
  let seen = 0;
  const server = createServer((request, response) => {
    seen++;
    listener(request, response);
  });
  neverIdlesOut(server);
  return listening(server, () => seen);
}

/** Serves raw sockets, for replies that no HTTP library would send. */
export async function serveTcp(onSocket: (socket: Socket) => void): Promise<TestServer> {
  let seen = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    seen++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    onSocket(socket);
  });
  const test = await listening(server, () => seen);
  return {
    ...test,
    get seen() {
      return seen;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await test.close();
    },
  };
}

/** Reads a request's whole body. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

async function listening(server: Server, seen: () => number): Promise<TestServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    get seen() {
      return seen();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server)
          (server as unknown as { closeAllConnections(): void }).closeAllConnections();
      }),
  };
}
