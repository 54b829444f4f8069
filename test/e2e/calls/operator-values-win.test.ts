import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoUpstream, type SeenRequest, startEcho } from '../../support/servers/echo-upstream.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

const secret = 'operator-secret-51c2';
const theirs = 'callers-own-value';

let echo: EchoUpstream;
let running: RunningGateway;
let count = 0;

beforeAll(async () => {
  echo = await startEcho();
  running = await startGateway({ egressAllow: echo.host });
});
afterAll(async () => {
  await running.stop();
  await echo.close();
});

interface Case {
  readonly api?: object;
  readonly operation: { readonly parameters: readonly object[]; readonly [key: string]: unknown };
  readonly arguments: unknown;
}

/** Calls a tool of its own with a credential of its own; what arrived, or the refusal. */
async function callWith({ api, operation, arguments: args }: Case) {
  const slug = `case-${++count}`;
  const made = await running.admin('POST', '/apis', { slug, baseUrl: `${echo.origin}/base`, ...api });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  if (made.body.auth.kind === 'api-key')
    await running.admin('POST', '/credentials', { api: slug, fields: { value: secret } });
  const name = slug.replace('-', '_');
  const tool = await running.admin('POST', '/tools', {
    api: slug,
    name,
    description: 'Echoes',
    operation: { method: 'POST', path: '/', ...operation },
  });
  expect(tool.status, JSON.stringify(tool.body)).toBe(201);
  echo.seen.length = 0;
  const { body } = await running.admin('POST', `/tools/${name}/call`, { arguments: args });
  return {
    ok: body.ok as boolean,
    message: body.error?.message as string,
    seen: echo.seen[0],
    tool: tool.body,
  };
}

function everythingIn({ target, rawHeaders, body }: SeenRequest): string {
  return decodeURIComponent(`${target}\n${rawHeaders.join('\n')}\n${body.toString('utf8')}`);
}

const input = (place: string, key: string, more: object = {}) => ({
  name: 'given',
  in: place,
  key,
  schema: {},
  required: false,
  ...more,
});
const keyIn = (place: string, name: string) => ({ auth: { kind: 'api-key', in: place, name } });
const form = 'application/x-www-form-urlencoded';
const whole = (mediaType: string) => ({
  parameters: [{ name: 'given', in: 'body', schema: {}, required: true }],
  body: { mediaType, shape: 'whole' },
});
const open = (mediaType: string, ...parameters: object[]) => ({
  parameters,
  body: { mediaType, shape: 'fields', open: true },
});
const fixed = (place: string, key: string) => ({
  name: 'preset',
  in: place,
  key,
  schema: {},
  required: false,
  fixed: 'operators-value',
});

const looseNames = [
  'api_key',
  'API_KEY',
  'Api_Key',
  'api_key[]',
  'api_key[0]',
  'api.key',
  'api key',
  ' api_key',
  'api[key',
];

describe('no argument stands beside or over what the operator set', () => {
  const cases: [string, Case][] = [
    ...looseNames.flatMap((name): [string, Case][] => [
      [
        `query ${name}`,
        {
          api: keyIn('query', 'api_key'),
          operation: { parameters: [input('query', name)] },
          arguments: { given: theirs },
        },
      ],
      [
        `field of a query object ${name}`,
        {
          api: keyIn('query', 'api_key'),
          operation: { parameters: [input('query', 'filter')] },
          arguments: { given: { [name]: theirs } },
        },
      ],
      [
        `body ${name}`,
        {
          api: keyIn('body', 'api_key'),
          operation: { parameters: [input('body', name)] },
          arguments: { given: theirs },
        },
      ],
      [
        `whole JSON body ${name}`,
        {
          api: keyIn('body', 'api_key'),
          operation: whole('application/json'),
          arguments: { given: { [name]: theirs } },
        },
      ],
      [
        `whole form ${name}`,
        { api: keyIn('body', 'api_key'), operation: whole(form), arguments: { given: { [name]: theirs } } },
      ],
      [
        `whole multipart ${name}`,
        {
          api: keyIn('body', 'api_key'),
          operation: whole('multipart/form-data'),
          arguments: { given: { [name]: theirs } },
        },
      ],
      [
        `undeclared field ${name}`,
        { api: keyIn('body', 'api_key'), operation: open('application/json'), arguments: { [name]: theirs } },
      ],
      [
        `undeclared form field ${name}`,
        { api: keyIn('body', 'api_key'), operation: open(form), arguments: { [name]: theirs } },
      ],
      [
        `beside a fixed field ${name}`,
        { operation: open('application/json', fixed('body', 'api_key')), arguments: { [name]: theirs } },
      ],
      [
        `beside a fixed query ${name}`,
        {
          operation: {
            parameters: [fixed('query', 'api_key'), input('query', name === 'api_key' ? 'x' : name)],
          },
          arguments: { given: { [name]: theirs } },
        },
      ],
    ]),
    ...looseNames.slice(1).map((name): [string, Case] => [
      `JSON in a text body ${name}`,
      {
        api: keyIn('body', 'api_key'),
        operation: whole('text/plain'),
        arguments: { given: JSON.stringify({ [name]: theirs }) },
      },
    ]),
    [
      'an encoded name in a query as text',
      {
        api: keyIn('query', 'api_key'),
        operation: { parameters: [input('query', 'q', { style: 'querystring', allowReserved: true })] },
        arguments: { given: `api%5Fkey=${theirs}` },
      },
    ],
    [
      'a semicolon in a reserved value',
      {
        api: keyIn('query', 'api_key'),
        operation: { parameters: [input('query', 'q', { allowReserved: true, schema: { type: 'string' } })] },
        arguments: { given: `a;api_key=${theirs}` },
      },
    ],
    [
      'a whole form as text',
      {
        api: keyIn('body', 'api_key'),
        operation: whole(form),
        arguments: { given: `a=1&api_key=${theirs}` },
      },
    ],
    [
      'a form field that brings pairs',
      {
        api: keyIn('body', 'api_key'),
        operation: {
          parameters: [input('body', 'filter')],
          body: { mediaType: form, shape: 'fields', encoding: { filter: { style: 'form', explode: true } } },
        },
        arguments: { given: { api_key: theirs } },
      },
    ],
    [
      'a deep query object',
      {
        operation: {
          parameters: [fixed('query', 'page[size]'), input('query', 'page', { style: 'deepObject' })],
        },
        arguments: { given: { size: theirs } },
      },
    ],
    [
      'a cookie',
      {
        api: keyIn('cookie', 'sid'),
        operation: { parameters: [input('cookie', 'SID')] },
        arguments: { given: theirs },
      },
    ],
    [
      'a field of a cookie object',
      {
        api: keyIn('cookie', 'sid'),
        operation: { parameters: [input('cookie', 'prefs')] },
        arguments: { given: { sid: theirs } },
      },
    ],
    [
      'a configured cookie',
      {
        api: { headers: { Cookie: 'sid=1' } },
        operation: { parameters: [input('cookie', 'sid')] },
        arguments: { given: theirs },
      },
    ],
    [
      'a credential in the cookie header',
      {
        api: keyIn('header', 'Cookie'),
        operation: { parameters: [input('cookie', 'other')] },
        arguments: { given: theirs },
      },
    ],
    [
      'a credential header',
      {
        api: keyIn('header', 'X-Api-Key'),
        operation: { parameters: [input('header', 'x-api-key')] },
        arguments: { given: theirs },
      },
    ],
    [
      'a credential header with underscores',
      {
        api: keyIn('header', 'X-Api-Key'),
        operation: { parameters: [input('header', 'X_Api_Key')] },
        arguments: { given: theirs },
      },
    ],
    [
      'a configured header',
      {
        api: { headers: { 'X-Tenant': 'acme' } },
        operation: { parameters: [input('header', 'x-tenant', { required: true })] },
        arguments: { given: theirs },
      },
    ],
    [
      'a fixed header in another case',
      {
        operation: { parameters: [fixed('header', 'X-Tenant'), input('header', 'X_TENANT')] },
        arguments: { given: theirs },
      },
    ],
    [
      'the query of the path',
      {
        operation: { path: '/x?beta=true', parameters: [input('query', 'Beta')] },
        arguments: { given: theirs },
      },
    ],
    ...['query', 'body'].map((place): [string, Case] => [
      `_method in the ${place}`,
      { operation: { parameters: [input(place, '_method')] }, arguments: { given: theirs } },
    ]),
    [
      '_method in a whole body',
      { operation: whole('application/json'), arguments: { given: { _METHOD: theirs } } },
    ],
    ...[
      'Cookie',
      'authorization',
      'Forwarded',
      'X-Forwarded-For',
      'x_forwarded_host',
      'X-Real-IP',
      'Via',
      'True-Client-IP',
      'CF-Connecting-IP',
      'X-Original-URL',
      'X-HTTP-Method-Override',
      'X-Method-Override',
      'X-HTTP-Method',
    ].map((name): [string, Case] => [
      `the header ${name}`,
      { operation: { parameters: [input('header', name)] }, arguments: { given: theirs } },
    ]),
  ];

  it.each(cases)('%s', async (_what, given) => {
    const { ok, message, seen } = await callWith(given);
    expect(ok).toBe(false);
    expect(message).toMatch(/operator|credential|is not an argument/);
    expect(seen).toBeUndefined();
  });
});

describe('what the operator set is sent', () => {
  it('leaves an input out of the tool that is the operator’s, and goes without it', async () => {
    const { ok, seen, tool } = await callWith({
      api: { headers: { 'X-Tenant': 'acme' } },
      operation: {
        parameters: [input('header', 'x-tenant', { required: true }), { ...input('query', 'q'), name: 'q' }],
      },
      arguments: { q: 'x' },
    });
    expect(ok).toBe(true);
    expect(seen!.headers['x-tenant']).toBe('acme');
    expect(Object.keys(tool.inputSchema.properties)).toEqual(['q']);
    expect(tool.heldBack).toEqual([
      { parameter: 'given', why: expect.stringContaining('set by the operator') },
    ]);
  });

  it('sends a configured cookie and a credential beside those of arguments, each once', async () => {
    const { seen } = await callWith({
      api: { headers: { Cookie: 'theme=dark' }, ...keyIn('cookie', 'sid') },
      operation: { parameters: [input('cookie', 'lang')] },
      arguments: { given: 'en' },
    });
    expect(seen!.headers.cookie).toBe(`theme=dark; lang=en; sid=${secret}`);
  });

  it('writes the credential over a field of its name in a text that is JSON', async () => {
    const { seen } = await callWith({
      api: keyIn('body', 'api_key'),
      operation: whole('text/plain'),
      arguments: { given: JSON.stringify({ api_key: theirs, a: 1 }) },
    });
    expect(JSON.parse(seen!.body.toString('utf8'))).toEqual({ api_key: secret, a: 1 });
  });

  it('does not send a fixed value of the document beside the credential', async () => {
    const { seen } = await callWith({
      api: keyIn('query', 'api_key'),
      operation: { path: '/x?api_key=demo&v=1', parameters: [fixed('query', 'API_KEY')] },
      arguments: {},
    });
    expect(seen!.target).toBe(`/base/x?v=1&api_key=${secret}`);
  });

  it('lets inputs through that only resemble', async () => {
    const { ok, seen } = await callWith({
      api: keyIn('query', 'key'),
      operation: {
        parameters: [
          { ...input('query', 'keys'), name: 'keys' },
          { ...input('query', 'filter'), name: 'filter' },
          { ...fixed('query', 'page[size]') },
          { ...input('query', 'page[number]'), name: 'page' },
        ],
      },
      arguments: { keys: 'a', filter: { monkey: 1, keyboard: 2 }, page: 3 },
    });
    expect(ok).toBe(true);
    expect(decodeURIComponent(seen!.target)).toBe(
      `/base/?keys=a&monkey=1&keyboard=2&page[size]=operators-value&page[number]=3&key=${secret}`,
    );
  });

  it('lets a tool set a header that the operator allowed by name', async () => {
    const { ok, seen } = await callWith({
      api: { allowHeaders: ['x-forwarded-for', '_method'] },
      operation: {
        parameters: [input('header', 'X-Forwarded-For'), { ...input('body', '_method'), name: 'method' }],
      },
      arguments: { given: '198.51.100.7', method: 'PATCH' },
    });
    expect(ok).toBe(true);
    expect(seen!.headers['x-forwarded-for']).toBe('198.51.100.7');
    expect(everythingIn(seen!)).toContain('{"_method":"PATCH"}');
  });

  it.each(['Host', 'Connection', 'Proxy-Authorization'])('never allows %s', async (name) => {
    const { status, body } = await running.admin('POST', '/apis', {
      slug: 'never',
      baseUrl: echo.origin,
      allowHeaders: [name],
    });
    expect([status, body.problems[0].path]).toEqual([422, '/allowHeaders/0']);
  });

  it('keeps a configured header against one that a client asks to pass on', async () => {
    const slug = 'forwarding';
    await running.admin('POST', '/apis', {
      slug,
      baseUrl: echo.origin,
      headers: { 'X-Tenant': 'acme' },
      forwardHeaders: ['X-Tenant', 'X-Locale'],
    });
    const operation = { method: 'GET', path: '/', parameters: [] };
    await running.admin('POST', '/tools', {
      api: slug,
      name: 'forwarding',
      description: 'Echoes',
      operation,
    });
    echo.seen.length = 0;
    const answer = await fetch(`${running.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-tenant': theirs,
        'x-locale': 'es',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'forwarding' } }),
    });
    await answer.text();
    expect(echo.seen[0]!.headers).toMatchObject({ 'x-tenant': 'acme', 'x-locale': 'es' });
  });
});
