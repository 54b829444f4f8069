import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { serveHttp } from '../support/http-server.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

test('passes the client’s trace on to the API and shows every step of the call to a collector', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spans: Span[] = [];
  let passedOn = '';
  const other = await serveHttp((req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      if (req.url === '/v1/traces') {
        const body = JSON.parse(Buffer.concat(pieces).toString()) as {
          resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
        };
        spans.push(...body.resourceSpans[0]!.scopeSpans[0]!.spans);
      } else {
        passedOn = String(req.headers['traceparent']);
      }
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const at = await startGateway({ egressAllow: ['127.0.0.1'], otlpUrl: other.origin });
  await at.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: other.origin });
  await at.request('POST', '/api/v1/tools', {
    api: 'one',
    name: 'good',
    description: 'good',
    operation: { method: 'GET', path: '/good' },
  });
  const answer = await at.request(
    'POST',
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'good',
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'good',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
  );
  expect(answer.statusCode).toBe(200);
  await at.close();
  await other.close();
  const [call, ...steps] = spans;
  expect(call).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', name: 'tools/call good' });
  expect(steps.map((span) => span.name)).toEqual(['prepare', 'send', 'shape']);
  expect(steps.every((span) => span.traceId === traceId && span.parentSpanId === call!.spanId)).toBe(true);
  expect(passedOn).toBe(`00-${traceId}-${steps[1]!.spanId}-01`);
});
