import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

// Numbers with more digits than JavaScript's numbers have, from a client to an API and back.
const reply = '{"id":9007199254740993,"list":[{"id":1234567890123456788},{"id":1234567890123456789}]}';
const sent =
  '{"id":9007199254740993,"ids":[9007199254740995,"9007199254740997",1],"x-key":123456789012345678901,' +
  '"n":9007199254740999,"deep":{"m":-9223372036854775807},"any":[12345678901234567.89,{"q":18446744073709551615}],"other":9007199254740993}';

const integer = { type: 'integer', format: 'int64' };
const document = {
  openapi: '3.0.0',
  info: { title: 'Long', version: '1' },
  paths: {
    '/items/{id}': {
      post: {
        operationId: 'long',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: integer },
          { name: 'ids', in: 'query', schema: { type: 'array', items: integer } },
          { name: 'x-key', in: 'header', schema: integer },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { n: integer, deep: { type: 'object', properties: { m: integer } }, any: {} },
              },
            },
          },
        },
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': { schema: { type: 'object', properties: { id: integer } } },
            },
          },
        },
      },
    },
  },
};

describe('long numbers', () => {
  let upstream: Server;
  let seen: string[] = [];
  beforeAll(async () => {
    upstream = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      req.on('end', () => {
        seen.push(`${req.url} ${String(req.headers['x-key'])} ${body}`);
        res.writeHead(200, { 'content-type': 'application/json' }).end(reply);
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => upstream.close(resolve)));

  async function open(fastLane: boolean): Promise<RunningGateway> {
    const { port } = upstream.address() as AddressInfo;
    const running = await startGateway({ egressAllow: `127.0.0.1:${port}`, fastLane });
    const servers = [{ url: `http://127.0.0.1:${port}` }];
    const text = JSON.stringify({ ...document, servers });
    expect((await running.admin('POST', '/imports', { text, api: 'long' })).status).toBe(200);
    await running.admin('POST', '/servers', {
      slug: 'long',
      name: 'Long',
      tools: [{ all: true }],
      policy: { kind: 'open' },
      listOutputSchemas: true,
    });
    return running;
  }

  const meta =
    '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},' +
    '"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}';
  const post = async (url: string, body: string, headers: Record<string, string>) => {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    return answer.text();
  };
  const call = (more: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","arguments":${sent}${more}}}`;

  it.each([
    ['the fast lane', true],
    ['the SDK', false],
  ])('arrive and come back with every digit through %s', async (_lane, fastLane) => {
    const running = await open(fastLane);
    const token = { authorization: 'Bearer a-token-for-tests-only' };
    seen = [];
    const answers = [
      await post(`${running.url}/mcp/long`, call(''), {}),
      await post(`${running.url}/mcp/long`, call(`,"_meta":${meta}`), {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'long',
      }),
      await post(`${running.url}/api/v1/tools/long/call`, `{"arguments":${sent}}`, token),
    ];
    await running.stop();
    expect(seen).toEqual(
      Array(3).fill(
        '/items/9007199254740993?ids=9007199254740995&ids=9007199254740997&ids=1 123456789012345678901 ' +
          '{"n":9007199254740999,"deep":{"m":-9223372036854775807},"any":[12345678901234567.89,{"q":18446744073709551615}],"other":9007199254740993}',
      ),
    );
    for (const answer of answers) {
      expect(answer).toContain(`"structuredContent":${reply}`);
      expect(answer).toContain(JSON.stringify(reply).slice(1, -1));
    }
  });

  it('stay whole in a part of a reply that is picked, and in one that is cut', async () => {
    const running = await open(true);
    const shaped = async (mapping: object) => {
      await running.admin('PATCH', '/tools/long', { reply: mapping });
      const { body } = await running.admin('POST', '/tools/long/call', { arguments: { id: 1 } });
      return body.content[0].text as string;
    };
    expect(await shaped({ select: 'id' })).toBe('9007199254740993');
    expect(await shaped({ select: 'list[].id' })).toBe('[1234567890123456788,1234567890123456789]');
    expect(await shaped({ select: 'list', template: '#{{id}}' })).toBe(
      '#1234567890123456788\n#1234567890123456789',
    );
    expect(await shaped({ select: 'list', maxBytes: 40 })).toBe('[{"id":1234567890123456788}]');
    await running.stop();
  });
});
