import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiAt, toolOf } from '../../../test/support/calling.ts';
import { modern, post, serverView, startSurface, type Surface } from '../../../test/support/mcp-surface.ts';
import { repliesInMemory } from '../../../test/support/replies-in-memory.ts';
import { keptInMemory } from '../../replies/kept-in-memory.ts';
import type { Caller } from '../../domain/call.ts';
import { annotationsForMethod, type Tool } from '../../domain/tool.ts';
import { countTokens } from '../../listing/tokens/count-tokens.ts';
import { transform } from '../../pipeline/reply/transform.ts';
import type { Call, Outcome } from '../../pipeline/call.ts';
import type { ListedTool } from '../../registry/snapshot.ts';

const budget = 2_000;
const bodies = new Map<string, { readonly type: string; readonly body: Buffer }>();
let calls = 0;

function add(name: string, type: string, body: string | Buffer): string {
  bodies.set(name, { type, body: Buffer.from(body as string) });
  return name;
}

const row = (n: number) => ({
  id: n * 7_919,
  name: `Thing ${n} of many`,
  tags: ['a', 'b'],
  price: n / 7,
  deep: { at: `2024-01-${n}` },
});
const rows = Array.from({ length: 1_000 }, (_, n) => row(n));
const lines = Array.from(
  { length: 3_000 },
  (_, n) => `2026-01-01 INFO line ${n} says ${(n * 7_919) % 1_000}`,
);
const large = [
  add('list', 'application/json', JSON.stringify(rows)),
  add('indented', 'application/json', JSON.stringify(rows, null, 2)),
  add('envelope', 'application/json', JSON.stringify({ total: 1_000, items: rows, next: null })),
  add('one_text', 'application/json', JSON.stringify({ text: 'words and words '.repeat(5_000) })),
  add(
    'wide',
    'application/json',
    JSON.stringify(Object.fromEntries(rows.map((each) => [`key ${each.id}`, each]))),
  ),
  add(
    'long_records',
    'application/json',
    JSON.stringify([{ text: 'a b c '.repeat(5_000) }, { text: 'short' }]),
  ),
  add(
    'exact_numbers',
    'application/json',
    `[${Array.from({ length: 2_000 }, (_, n) => `9007199254740993${n % 10}`).join(', ')}]`,
  ),
  add('deep', 'application/json', `${'{"a":['.repeat(500)}"${'x'.repeat(20_000)}"${']}'.repeat(500)}`),
  add('only_a_text', 'application/json', JSON.stringify('words and "words" '.repeat(5_000))),
  add('only_a_number', 'application/json', '9'.repeat(50_000)),
  add('broken', 'application/json', JSON.stringify(rows).slice(0, -10)),
  add('ndjson', 'application/x-ndjson', rows.map((each) => JSON.stringify(each)).join('\n')),
  add('csv', 'text/csv', ['id,name', ...rows.map(({ id, name }) => `${id},${name}`)].join('\r\n')),
  add('log', 'text/plain', lines.join('\n')),
  add('one_line', 'text/plain', 'x1y2'.repeat(20_000)),
  add('script', 'text/plain', '天気予報は東京で明日晴れ'.repeat(2_000)),
  add('xml', 'application/xml', `<rows>${rows.map(({ id }) => `<row id="${id}"/>`).join('\n')}</rows>`),
  add(
    'page',
    'text/html',
    `<html><script>x()</script><body>${rows.map(({ name }) => `<p>${name}</p>`).join('\n')}</body></html>`,
  ),
];
const file = add(
  'file',
  'application/pdf',
  Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * n * 31 + n) % 256)),
);
// Each character of its base64 is a token.
const dull = add('dull', 'application/zip', Buffer.alloc(9_000, 'x'));
add('small', 'application/json', '{"a":{"b":[1,2,3]}}');
add('words', 'text/plain', 'not JSON');
const safe = add('safe', 'application/json', JSON.stringify(rows));

function listed(name: string, more: Partial<Tool> = {}): ListedTool {
  const compiled = toolOf(
    apiAt('http://api.example'),
    { parameters: [{ name: 'q', in: 'query', required: false, schema: { type: 'string' } }] },
    { id: `tool_${name}`, name, annotations: annotationsForMethod('GET'), ...more },
  );
  return { name, description: '', compiled };
}

const tools = [...bodies.keys()].map((name) =>
  listed(name, name === safe ? { reply: { wrapUntrusted: true } } : {}),
);

async function runCall(call: Call): Promise<Outcome> {
  calls++;
  const { type, body } = bodies.get(call.tool.tool.name)!;
  const reply = {
    status: 200,
    headers: { 'content-type': type },
    body,
    tries: 1,
    cached: false,
    upstreamMs: 1,
  };
  return { kind: 'done', status: 200, output: transform(call.tool, reply, undefined, false) };
}

const callers: Readonly<Record<string, Caller>> = {
  one: { id: 'key:1', kind: 'key', label: 'one' },
  other: { id: 'key:2', kind: 'key', label: 'other' },
  less: { id: 'key:1', kind: 'key', label: 'one', toolIds: new Set(['tool_small']) },
};

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly uri?: string;
}

interface Result {
  readonly content: readonly Part[];
  readonly structuredContent?: { readonly handle: string; readonly [key: string]: unknown };
  readonly isError?: boolean;
}

const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

describe.each([
  [true, 'modern'],
  [false, 'modern'],
  [true, 'legacy'],
  [false, 'legacy'],
] as const)('a reply that is too long (fast lane: %s, %s)', (fastLane, era) => {
  let surface: Surface;
  let nowMs = 1_000_000;
  const store = keptInMemory();
  beforeAll(async () => {
    surface = await startSurface({
      views: [
        serverView('open', tools),
        serverView('keys', tools, { policy: { kind: 'key' }, selectArgument: true }),
        serverView('off', tools, { replyMaxTokens: 0 }),
      ],
      runCall,
      fastLane,
      callerOf: (authorization) => callers[authorization ?? ''] ?? callers['one'],
      replies: repliesInMemory(budget, { store, now: () => nowMs }),
      now: () => nowMs,
    });
  });
  afterAll(() => surface.stop());

  async function ask(method: string, params: Record<string, unknown>, slug = 'open', as = 'one') {
    const { body, headers } =
      era === 'modern'
        ? modern(method, params)
        : {
            body: { jsonrpc: '2.0', id: 1, method, params },
            headers: { 'mcp-protocol-version': '2025-06-18' },
          };
    const answer = await post(surface.url(slug), body, { ...headers, authorization: as });
    return answer.json as {
      result: Result & { contents: { text?: string; blob?: string }[] };
      error?: { message: string };
    };
  }
  const call = async (
    name: string,
    args: Record<string, unknown> = {},
    slug?: string,
    as?: string,
  ): Promise<Result> => (await ask('tools/call', { name, arguments: args }, slug, as)).result;
  const read = (args: Record<string, unknown>, slug?: string, as?: string) =>
    call('read_reply', args, slug, as);

  /** Everything that stands under a handle, page by page. */
  async function readAll(handle: string): Promise<string[]> {
    const pages: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { content } = await read({ handle, offset });
      pages.push(content[0]!.text!);
      expect(countTokens(content.map(({ text }) => text).join('\n'))).toBeLessThanOrEqual(budget);
      const next = /offset (\d+)/.exec(content[1]!.text!)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    return pages;
  }

  it.each(large)('is told about within the budget, and is all there: %s', async (name) => {
    const result = await call(name);
    const { handle, preview, bytes } = result.structuredContent!;
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(budget);
    expect(result.content[0]!.text).toContain(handle);
    const { type, body } = bodies.get(name)!;
    expect(bytes).toBe(body.length);
    if (type === 'application/json' && name !== 'broken') {
      expect(JSON.parse(result.content[1]!.text!)).toEqual(preview);
    }
    const whole = await ask('resources/read', { uri: result.content.at(-1)!.uri });
    expect(hash(whole.result.contents[0]!.text!)).toBe(hash(body));
    if (name === 'long_records') return;
    const pages = await readAll(handle);
    const text = Array.isArray(preview)
      ? `[${pages.map((page) => page.slice(1, -1)).join(',')}]`
      : pages.join('');
    const expected = Array.isArray(preview)
      ? body.toString().replaceAll(/(?<=[[,{}])\s+|\s+(?=[\]}])/g, '')
      : body.toString();
    if (name === 'indented') expect(JSON.parse(text)).toEqual(JSON.parse(expected));
    else expect(hash(text)).toBe(hash(expected));
  });

  it.each([
    [file, 'file.pdf (application/pdf, 5000 bytes)'],
    [dull, 'dull.zip (application/zip, 9000 bytes)'],
  ])('is a file by its bytes: %s', async (name, told) => {
    const { structuredContent, content } = await call(name);
    expect(content[0]!.text).toContain(told);
    const pages = await readAll(structuredContent!.handle);
    expect(hash(Buffer.concat(pages.map((page) => Buffer.from(page, 'base64'))))).toBe(
      hash(bodies.get(name)!.body),
    );
    const whole = await ask('resources/read', { uri: content.at(-1)!.uri });
    expect(hash(Buffer.from(whole.result.contents[0]!.blob!, 'base64'))).toBe(hash(bodies.get(name)!.body));
  });

  it('tells how its records are read one by one where they stand in an object', async () => {
    const { content, structuredContent } = await call('envelope');
    const select = /With select (\S+), offset and limit count its records/.exec(content[0]!.text!)?.[1];
    expect(select).toBe('items');
    const part = await read({ handle: structuredContent!.handle, select, offset: 10, limit: 3 });
    expect(JSON.parse(part.content[0]!.text!)).toEqual(rows.slice(10, 13));
    expect((await call('list')).content[0]!.text).not.toContain('With select');
  });

  it('is searched, and read by select', async () => {
    const { handle } = (await call('envelope')).structuredContent!;
    const found = await read({ handle, search: 'thing 17 ' });
    expect(found.content[0]!.text).toBe('items[17].name: Thing 17 of many');
    const picked = await read({ handle, select: 'items[17].{id: id, name: name}' });
    expect(JSON.parse(picked.content[0]!.text!)).toEqual({ id: 17 * 7_919, name: 'Thing 17 of many' });
    const paged = await read({ handle, select: 'items[].id', offset: 990, limit: 3 });
    expect(paged.content.map(({ text }) => text)).toEqual([
      JSON.stringify([990, 991, 992].map((n) => n * 7_919)),
      '[records 990 to 992 of 1000. Continue with offset 993.]',
    ]);
    const line = await read({ handle: (await call('log')).structuredContent!.handle, search: 'LINE 2999 ' });
    expect(line.content[0]!.text).toBe(`2999: ${lines[2_999]}`);
  });

  it.each([
    [{ select: 'items[' }, 'select is not a JMESPath expression'],
    [{ select: 'sum(items)' }, 'select does not fit this reply'],
    [{ select: 'items[].name | sum(@)' }, 'select does not fit this reply'],
    [{ offset: -1 }, 'offset must be a whole number'],
    [{ limit: 'many' }, 'limit must be a whole number'],
    [{ search: '' }, 'search must be the text to look for'],
  ])('says what is wrong with %j', async (args, why) => {
    const { handle } = (await call('envelope')).structuredContent!;
    const { isError, content } = await read({ handle, ...args });
    expect(isError).toBe(true);
    expect(content[0]!.text).toContain(why);
  });

  it('belongs to its caller, on an open server to whoever has its handle, and ends', async () => {
    const { handle, ...rest } = (await call('list', {}, 'keys')).structuredContent!;
    expect(rest['records']).toBe(1_000);
    const uri = `handrail://replies/${handle}`;
    expect((await read({ handle }, 'keys')).isError).toBeUndefined();
    const forged = `${handle.slice(0, -4)}AAAA`;
    const refused = await Promise.all([
      read({ handle }, 'keys', 'other'),
      read({ handle }, 'keys', 'less'),
      read({ handle }, 'open'),
      read({ handle: forged }, 'keys'),
      read({ handle: 'reply_x' }, 'keys'),
    ]);
    for (const { content, isError } of refused) {
      expect(content).toEqual(refused[0].content);
      expect(isError).toBe(true);
    }
    expect((await ask('resources/read', { uri }, 'keys', 'other')).error?.message).toContain(
      'Resource not found',
    );
    const open = (await call('list')).structuredContent!.handle;
    expect((await read({ handle: open }, 'open', 'other')).isError).toBeUndefined();
    nowMs += 3_600_000;
    expect((await read({ handle }, 'keys')).content).toEqual(refused[0].content);
  });

  it('stays marked as untrusted, in its preview and in its parts', async () => {
    const { content, structuredContent } = await call(safe);
    expect(content[1]!.text).toMatch(/^The text between[^\n]*\n<untrusted-/);
    const part = await read({ handle: structuredContent!.handle, limit: 1 });
    expect(part.content[0]!.text).toMatch(/^The text between[^\n]*\n<untrusted-[\s\S]*Thing 0 of many/);
  });

  it('is sent whole where there is no budget, and where it fits', async () => {
    expect((await call('list', {}, 'off')).content[0]!.text).toBe(JSON.stringify(rows));
    expect((await call('small')).content[0]!.text).toBe('{"a":{"b":[1,2,3]}}');
  });

  it('is listed with a tool that reads it where there is a budget', async () => {
    const names = async (slug: string) =>
      (
        (await ask('tools/list', {}, slug)).result as unknown as {
          tools: { name: string; inputSchema: { properties: object } }[];
        }
      ).tools;
    expect((await names('open')).map(({ name }) => name)).toContain('read_reply');
    expect((await names('off')).map(({ name }) => name)).not.toContain('read_reply');
    const small = (await names('keys')).find(({ name }) => name === 'small')!;
    expect(Object.keys(small.inputSchema.properties)).toEqual(['q', '_select']);
  });

  describe('that only a part of is wanted', () => {
    it.each([
      ['a door', 'call_read', { name: 'small', arguments: { q: 'x' }, select: 'a.b[1]' }, 'open'],
      ['an argument', 'small', { q: 'x', _select: 'a.b[1]' }, 'keys'],
    ])('comes as that part: %s', async (_how, name, args, slug) => {
      const { content } = await call(name, args, slug);
      expect(content[0]!.text).toBe('2');
      expect(surface.calls.at(-1)!.arguments).toEqual({ q: 'x' });
    });

    it.each([
      ['a door', 'call_read', { name: 'small', select: 'a.[' }, 'open'],
      ['an argument', 'small', { _select: 'a.[' }, 'keys'],
      ['no text', 'call_read', { name: 'small', select: 7 }, 'open'],
    ])('is refused before the call when it cannot be read: %s', async (_how, name, args, slug) => {
      const before = calls;
      const { isError, content } = await call(name, args, slug);
      expect(isError).toBe(true);
      expect(content[0]!.text).toContain('The call was not made.');
      expect(calls).toBe(before);
    });

    it.each([
      ['small', 'sum(a)'],
      ['words', 'a'],
    ])('is there under a handle when it does not fit the reply of %s', async (name, select) => {
      const { isError, content } = await call('call_read', { name, select });
      expect(isError).toBe(true);
      expect(content[0]!.text).toContain('The call was made and succeeded');
      const handle = /reply_[\w-]+/.exec(content[0]!.text!)![0];
      expect((await read({ handle })).content[0]!.text).toBe(bodies.get(name)!.body.toString());
    });

    it('is cut as well when it is long', async () => {
      const { structuredContent } = await call('call_read', { name: 'envelope', select: 'items[].name' });
      expect(structuredContent!['records']).toBe(1_000);
      const part = await read({ handle: structuredContent!.handle, limit: 1 });
      expect(part.content[0]!.text).toBe('["Thing 0 of many"]');
    });
  });
});
