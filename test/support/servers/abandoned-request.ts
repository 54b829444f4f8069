import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

/** A request whose client left before anybody looked at it. */
export async function abandonedRequest(
  method: 'GET' | 'POST',
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly req: IncomingMessage; readonly res: ServerResponse }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} / HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n`);
  const [req, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const closed = once(res, 'close');
  socket.resetAndDestroy();
  await closed;
  server.close();
  return { req, res };
}
