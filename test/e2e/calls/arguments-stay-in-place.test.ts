import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoUpstream, startEcho } from '../../support/servers/echo-upstream.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import fc from '../../support/property.ts';

// An argument fills its own place and nothing else, whatever it holds.
describe('arguments', () => {
  let echo: EchoUpstream;
  let running: RunningGateway;

  beforeAll(async () => {
    echo = await startEcho();
    running = await startGateway({ egressAllow: echo.host });
    await running.admin('POST', '/apis', { slug: 'echo', baseUrl: `${echo.origin}/base/v1` });
    const places = ['path', 'query', 'header', 'cookie', 'body'].map((place) => ({
      name: place,
      in: place,
      key: place === 'header' ? 'X-Value' : place,
      schema: { type: 'string' },
      required: false,
    }));
    const tool = await running.admin('POST', '/tools', {
      api: 'echo',
      name: 'probe',
      description: 'Echoes',
      operation: {
        method: 'POST',
        path: '/items/{path}/detail',
        parameters: places.map((place) => ({ ...place, required: place.in === 'path' })),
      },
    });
    expect(tool.status).toBe(201);
  });
  afterAll(async () => {
    await running.stop();
    await echo.close();
  });

  async function call(args: Record<string, string>) {
    echo.seen.length = 0;
    const { body } = await running.admin('POST', '/tools/probe/call', { arguments: args });
    expect(echo.seen.length).toBeLessThanOrEqual(1);
    return { ok: body.ok as boolean, code: body.error?.code as string | undefined, seen: echo.seen[0] };
  }

  function expectShape(target: string): { segment: string; query: URLSearchParams } {
    const match = /^\/base\/v1\/items\/([^/?#]+)\/detail(?:\?([^#]*))?$/.exec(target);
    expect(match, target.slice(0, 200)).not.toBeNull();
    return { segment: decodeURIComponent(match![1]!), query: new URLSearchParams(match![2] ?? '') };
  }

  const hostile = [
    '..',
    '.',
    '%2e%2e',
    '%2E%2e/',
    '../../..',
    '..%2f',
    '//host',
    '/etc/passwd',
    '\\..\\',
    '?x=1',
    '#frag',
    '&a=b',
    'a=b',
    '@host',
    'user@host',
    '$1',
    '$&',
    '{{x}}',
    '{path}',
    ' ',
    '\u0000',
    'a\r\nX-Evil: 1',
    '\n',
    '\t',
    'é',
    '日本',
    '😀',
    '\ud800',
    'a\udfffb',
    '%',
    '%zz',
    ';',
    ':',
    '+',
    "'",
    '"',
    '<script>',
    '\u202e',
    '__proto__',
    'constructor',
    'x'.repeat(1_000_000),
  ];

  it.each(hostile.map((value) => [JSON.stringify(value).slice(0, 40), value]))(
    'in the path: %s keeps the path’s shape or is refused',
    async (_shown, value) => {
      const { ok, code, seen } = await call({ path: value });
      if (seen === undefined) {
        expect(ok).toBe(false);
        expect(['unsafe_value', 'upstream_unreachable', 'upstream_status', 'invalid_arguments']).toContain(
          code,
        );
        return;
      }
      expect(seen.headers.host).toBe(echo.host);
      const { segment } = expectShape(seen.target);
      expect(segment).toBe(value);
    },
  );

  it.each(['query', 'header', 'cookie', 'body'])(
    'in the %s: hostile values reach it unchanged or are refused, and touch nothing else',
    async (place) => {
      for (const value of hostile.filter((each) => each.length < 1_000)) {
        const { ok, code, seen } = await call({ path: 'id', [place]: value });
        if (seen === undefined) {
          expect(ok, JSON.stringify(value)).toBe(false);
          expect(code).toBe('unsafe_value');
          continue;
        }
        expect(seen.headers.host).toBe(echo.host);
        expect(seen.rawHeaders.map((name) => name.toLowerCase())).not.toContain('x-evil');
        const { segment, query } = expectShape(seen.target);
        expect(segment).toBe('id');
        expect([...query.keys()]).toEqual(place === 'query' ? ['query'] : []);
        if (place === 'query') expect(query.get('query')).toBe(value);
        if (place === 'body')
          expect(JSON.parse(seen.body.toString('utf8'))).toEqual({
            body: value.toWellFormed() === value ? value : expect.any(String),
          });
        if (place === 'header')
          expect(seen.headers['x-value']).toBe(Buffer.from(value.trim(), 'latin1').toString('latin1'));
        if (place === 'cookie') expect(seen.headers.cookie?.split(';')).toHaveLength(1);
      }
    },
  );

  it('carries any well-formed text in path and query, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
        fc.string({ unit: 'binary', maxLength: 40 }),
        async (path, query) => {
          fc.pre(!/^\.{1,2}$/.test(path) && path.isWellFormed() && query.isWellFormed());
          const { seen } = await call({ path, query });
          const shape = expectShape(seen!.target);
          expect(shape.segment).toBe(path);
          expect(shape.query.get('query')).toBe(query);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('fills a body template with values that stay JSON strings', async () => {
    await running.admin('POST', '/tools', {
      api: 'echo',
      name: 'templated',
      description: 'Fills a template',
      operation: {
        method: 'POST',
        path: '/t',
        parameters: [
          { name: 'text', in: 'body', type: 'STRING', required: true },
          { name: 'tags', in: 'body', type: 'ARRAY' },
          { name: 'n', in: 'body', type: 'NUMBER' },
        ],
        body: {
          mediaType: 'application/json',
          shape: 'template',
          template: '{"msg":"{{text}}","tags":{{tags}},"n":{{n}},"quoted":"{{n}}"}',
        },
      },
    });
    echo.seen.length = 0;
    const text = 'say "hi" \\ $1 {{tags}}\n';
    await running.admin('POST', '/tools/templated/call', { arguments: { text, tags: ['a"b'], n: 2 } });
    expect(JSON.parse(echo.seen[0]!.body.toString('utf8'))).toEqual({
      msg: text,
      tags: ['a"b'],
      n: 2,
      quoted: '2',
    });
  });

  it('refuses a template that uses an unknown placeholder when the tool is saved', async () => {
    const { status, body } = await running.admin('POST', '/tools', {
      api: 'echo',
      name: 'broken',
      description: 'x',
      operation: {
        method: 'POST',
        path: '/t',
        parameters: [],
        body: { mediaType: 'application/json', shape: 'template', template: '{"a":"{{nope}}"}' },
      },
    });
    expect(status).toBe(422);
    expect(body.detail).toContain('{{nope}}');
  });
});
