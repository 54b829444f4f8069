import { expect, test } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { serveHttp } from '../../support/servers/http-server.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

/** How each surface is asked to call the tool `good`. */
const surfaces = {
  mcp: {
    url: '/mcp',
    body: {
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
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'good',
    },
  },
  'HandsAI REST': {
    url: '/mcp/tools/call',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'good' } },
    headers: {},
  },
  explorer: { url: '/explorer/default/tools/good/call', body: {}, headers: {} },
} as const;

test.each(Object.keys(surfaces) as (keyof typeof surfaces)[])(
  'passes the trace of a client of %s on to the API and shows every step of the call to a collector',
  async (surface) => {
    const spans: Span[] = [];
    let tries = 0;
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
          tries++;
          passedOn = String(req.headers['traceparent']);
        }
        const status = req.url !== '/v1/traces' && tries === 1 ? 503 : 200;
        res.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const at = await startGateway({ egressAllow: ['127.0.0.1'], otlpUrl: other.origin });
    await at.request('POST', '/api/v1/apis', {
      slug: 'one',
      baseUrl: other.origin,
      auth: { kind: 'bearer' },
      limits: { retries: 1 },
    });
    await at.request('POST', '/api/v1/credentials', { api: 'one', secret: 'a secret of ours' });
    await at.request('POST', '/api/v1/tools', {
      api: 'one',
      name: 'good',
      description: 'good',
      operation: { method: 'GET', path: '/good' },
    });
    const { url, body, headers } = surfaces[surface];
    const answer = await at.request('POST', url, body, { ...headers, traceparent });
    expect(answer.statusCode).toBe(200);
    await at.close();
    await other.close();
    const [call, ...steps] = spans;
    expect(call).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', name: 'tools/call good' });
    expect(steps.map((span) => span.name)).toEqual(['prepare', 'credential', 'try', 'wait', 'send', 'shape']);
    expect(steps.every((span) => span.traceId === traceId && span.parentSpanId === call!.spanId)).toBe(true);
    expect(passedOn).toBe(`00-${traceId}-${steps.find(({ name }) => name === 'send')!.spanId}-01`);
  },
);
