import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listedTool, modern, post, serverView, startSurface } from '../../../test/support/mcp-surface.ts';
import type { Surface } from '../../../test/support/mcp-surface.ts';
import { HandrailError } from '../../domain/errors.ts';

const view = serverView(
  'demo',
  [
    listedTool('user', {
      type: 'object',
      properties: { id: { type: 'integer' }, kind: { enum: ['admin', 'author'] } },
    }),
    listedTool('find', {
      type: 'object',
      properties: {
        status: { $ref: '#/$defs/Status' },
        limit: { type: ['integer', 'null'] },
        ids: { type: 'array', items: { type: 'integer' } },
      },
      $defs: { Status: { type: 'string', enum: ['open', 'closed'] } },
    }),
  ],
  {
    prompts: [
      { name: 'größe', arguments: [{ name: 'maß' }], text: 'Miss in {{maß}}.' },
      {
        name: 'greet',
        arguments: [
          { name: 'who', required: true },
          { name: 'tone', values: ['warm', 'cool'] },
        ],
        text: 'Greet {{who}} in a {{ tone }} way, not {{other}}.',
      },
    ],
    resources: [
      { uri: 'help://start', name: 'Start', text: 'Read me' },
      { uri: 'users://{kind}/{id}', name: 'User', toolId: 'tool_user', mimeType: 'application/json' },
      { uri: 'find://all{?status,limit,ids*}', name: 'Find', toolId: 'tool_find' },
      { uri: 'help://{topic}/intro', name: 'Intro', text: 'About {{topic}}, not {{other}}.' },
      { uri: 'help://{broken', name: 'Broken', text: 'an earlier version took this' },
    ],
  },
);

let surface: Surface;
let client: Client;
beforeAll(async () => {
  surface = await startSurface({ views: [view] });
  client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(surface.url('demo'))));
});
afterAll(async () => {
  await client.close();
  await surface.stop();
});

describe('what an operator writes', () => {
  it('is filled into prompts, and only where an argument was declared', async () => {
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'Ada', tone: 'warm' } });
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Greet Ada in a warm way, not {{other}}.' } },
    ]);
    await expect(client.getPrompt({ name: 'greet', arguments: {} })).rejects.toThrow('"who"');
  });

  it('can be read as resources', async () => {
    expect((await client.listResources()).resources.map((one) => one.uri)).toEqual(['help://start']);
    expect((await client.readResource({ uri: 'help://start' })).contents).toEqual([
      { uri: 'help://start', mimeType: 'text/plain', text: 'Read me' },
    ]);
    expect((await client.readResource({ uri: 'help://gr%C3%B6%C3%9Fe/intro' })).contents).toMatchObject([
      { text: 'About größe, not {{other}}.' },
    ]);
    await expect(client.readResource({ uri: 'help://none' })).rejects.toThrow('not found');
  });

  it('makes a tool readable under a template, with typed arguments', async () => {
    expect((await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate)).toEqual([
      'users://{kind}/{id}',
      'find://all{?status,limit,ids*}',
      'help://{topic}/intro',
      'help://{broken',
    ]);
    const { contents, cacheScope } = await client.readResource({ uri: 'users://admin/7' });
    expect(cacheScope).toBe('private');
    expect(contents).toEqual([
      {
        uri: 'users://admin/7',
        mimeType: 'application/json',
        text: JSON.stringify({ tool: 'user', args: { kind: 'admin', id: 7 } }),
      },
    ]);
  });

  it.each([
    ['unsafe_value', -32_602],
    ['invalid_arguments', -32_602],
    ['rate_limited', -32_603],
    ['upstream_status', -32_603],
  ] as const)('says whose fault it is that a tool cannot be read (%s)', async (code, expected) => {
    const failing = await startSurface({
      views: [view],
      runCall: async () => ({ kind: 'failed', error: new HandrailError(code, 'It went wrong.') }),
    });
    const { body, headers } = modern('resources/read', { uri: 'users://admin/7' });
    const { json } = await post(failing.url('demo'), body, headers);
    expect(json.error).toMatchObject({ code: expected, message: expect.stringContaining('It went wrong.') });
    await failing.stop();
  });

  it('lets a URI leave out what its template has in the query', async () => {
    const argsOf = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return (JSON.parse((contents[0] as { text: string }).text) as { args: unknown }).args;
    };
    expect(await argsOf('find://all')).toEqual({});
    expect(await argsOf('find://all?limit=5')).toEqual({ limit: 5 });
    expect(await argsOf('find://all?ids=1&ids=2&status=open')).toEqual({ ids: [1, 2], status: 'open' });
  });

  it('may be named in any language', async () => {
    const { messages } = await client.getPrompt({ name: 'größe', arguments: { maß: 'cm' } });
    expect(messages).toMatchObject([{ content: { text: 'Miss in cm.' } }]);
  });

  it('completes from enums', async () => {
    const prompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'tone', value: 'w' },
    });
    expect(prompt.completion.values).toEqual(['warm']);
    const resource = await client.complete({
      ref: { type: 'ref/resource', uri: 'users://{kind}/{id}' },
      argument: { name: 'kind', value: 'a' },
    });
    expect(resource.completion.values).toEqual(['admin', 'author']);
    const referred = await client.complete({
      ref: { type: 'ref/resource', uri: 'find://all{?status,limit,ids*}' },
      argument: { name: 'status', value: '' },
    });
    expect(referred.completion.values).toEqual(['open', 'closed']);
  });
});
