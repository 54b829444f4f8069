import { RE2JS } from 're2js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { modern, post } from '../../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { json, serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const alternatives = (count: number, of: number) =>
  Array.from({ length: count }, (_, i) => `w${of}x${i}`).join('|');
const names = Array.from({ length: 20 }, (_, i) => `p${i}`);

describe('a document with patterns that take long to compile', () => {
  let upstream: TestServer;
  let gateway: RunningGateway;
  let compiled = 0;

  beforeAll(async () => {
    upstream = await serveHttp((_request, response) => json(response, 200, { ok: true }));
    gateway = await startGateway({ egressAllow: ['127.0.0.1'] });
    // Threads have a library of their own: what is counted here is the main thread's.
    const compile = RE2JS.compile.bind(RE2JS);
    vi.spyOn(RE2JS, 'compile').mockImplementation((source: string) => {
      compiled += source.length;
      return compile(source);
    });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await gateway?.stop();
    await upstream?.close();
  });

  it('is imported with a note, and called without compiling them', async () => {
    const string = (pattern: string) => ({ schema: { type: 'string', pattern } });
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Words', version: '1' },
      servers: [{ url: upstream.origin }],
      paths: {
        '/words': {
          get: {
            operationId: 'listWords',
            parameters: [
              { name: 'code', in: 'query', ...string('^[a-z]{1,64}$') },
              ...names.map((name, i) => ({ name, in: 'query', ...string(alternatives(20_000, i)) })),
            ],
            responses: { 200: { description: 'OK' } },
          },
        },
      },
    });
    const { body } = await gateway.admin('POST', '/imports', { text, api: 'words' });
    expect(body.imports[0].report[0].notes).toEqual([
      expect.objectContaining({
        code: 'pattern_unchecked',
        message: expect.stringContaining('"p0", "p1", "p2", "p3", "p4" and 15 more'),
        at: expect.stringContaining('/paths/~1words/get'),
      }),
    ]);
    const call = async (args: Record<string, unknown>) => {
      const { body: request, headers } = modern('tools/call', { name: 'listWords', arguments: args });
      const answer = await post(`${gateway.url}/mcp`, request, headers);
      return answer.json.result as { isError?: boolean; content: { text: string }[] };
    };
    const values = Object.fromEntries(names.map((name) => [name, 'no such word']));
    const answer = await call({ code: 'abc', ...values });
    expect(answer.isError, answer.content[0]!.text).not.toBe(true);
    const refused = await call({ code: 'ABC', ...values });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]!.text).toContain('code');
    expect(compiled).toBeGreaterThan(0);
    expect(compiled).toBeLessThanOrEqual(10_000);
    const { body: tool } = await gateway.admin('GET', '/tools/listWords');
    expect(JSON.stringify(tool)).toContain('w19x19999');
  });
});
