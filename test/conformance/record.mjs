// A proxy that keeps everything that passes through it: what was asked, what was answered, and what overlapped.
import { createServer, request } from 'node:http';

/** Stands in front of a gateway. `exchanges` are in the order in which they were asked. */
export async function startRecorder(gatewayUrl) {
  const gateway = new URL(gatewayUrl);
  const exchanges = [];
  let clock = 0;
  const server = createServer((req, res) => void carry(req, res));
  // An idle connection that we end may end just when the suite uses it.
  server.keepAliveTimeout = 0;

  async function carry(req, res) {
    const exchange = {
      askedAt: clock++,
      endedAt: Infinity,
      method: req.method,
      path: req.url,
      headers: req.rawHeaders,
      body: null,
      answer: { status: 0, type: undefined, session: false, text: '' },
      /** Whether the gateway came to the end of its answer, and not the client to the end of its patience. */
      isWhole: false,
    };
    exchanges.push(exchange);
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    exchange.body = Buffer.concat(chunks);
    const onward = request(
      {
        hostname: gateway.hostname,
        port: gateway.port,
        method: req.method,
        path: req.url,
        headers: req.headers,
        setHost: false,
      },
      (answer) => {
        res.writeHead(answer.statusCode, answer.rawHeaders);
        res.flushHeaders();
        exchange.answer.status = answer.statusCode;
        exchange.answer.type = answer.headers['content-type'];
        exchange.answer.session = answer.headers['mcp-session-id'] !== undefined;
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          exchange.answer.text += chunk;
          res.write(chunk);
        });
        answer.on('close', () => {
          exchange.endedAt = clock++;
          exchange.isWhole = answer.complete;
          res.end();
        });
      },
    );
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    onward.end(exchange.body);
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    exchanges,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
