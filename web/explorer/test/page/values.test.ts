import { describe, expect, it } from 'vitest';
import { compareLines } from '../../src/page/result/compare.ts';
import { asCurl, copyForms } from '../../src/page/controls/copy-as.ts';
import { initialValue } from '../../src/page/arguments/initial-value.ts';
import { matchingBracket, parseJson, tokenize } from '../../src/page/json-text.ts';
import { estimateTokens, formatBytes, formatDuration } from '../../src/page/measure.ts';
import { mediaUrl, safeLink } from '../../src/page/safe-url.ts';
import { shapeOf, typeLabel } from '../../src/page/arguments/schema-shape.ts';
import { validateArguments } from '../../src/server/validate-arguments.ts';
import { groupTools, searchTools } from '../../src/page/tool-search.ts';
import fc from '../../../../test/support/property.ts';

const start = (schema: unknown, all = false) => initialValue(schema, schema, all);

describe('the value a form starts with', () => {
  it('uses an explicit default first, otherwise the type', () => {
    const schema = {
      type: 'object',
      required: ['text', 'count', 'flag', 'list', 'inner', 'nothing', 'kind'],
      properties: {
        text: { type: 'string' },
        count: { type: 'integer' },
        flag: { type: 'boolean' },
        list: { type: 'array', items: { type: 'string' } },
        inner: {
          type: 'object',
          required: ['x'],
          properties: { x: { type: 'number', minimum: 5 }, y: { type: 'string' } },
        },
        nothing: { type: 'null' },
        kind: { enum: ['first', 'second'] },
        limit: { type: 'integer', default: 10 },
        optional: { type: 'string' },
      },
    };
    const required = {
      text: '',
      count: 0,
      flag: false,
      list: [],
      inner: { x: 5 },
      nothing: null,
      kind: 'first',
    };
    expect(start(schema)).toEqual({ ...required, limit: 10 });
    expect(start(schema, true)).toEqual({ ...required, inner: { x: 5, y: '' }, limit: 10, optional: '' });
  });

  it('prefers a falsy default to the type', () => {
    expect(
      start({
        type: 'object',
        properties: {
          a: { type: 'boolean', default: false },
          b: { default: null },
          c: { type: 'string', default: '' },
        },
      }),
    ).toEqual({ a: false, b: null, c: '' });
  });

  it('follows references, merges allOf, and stops on recursion', () => {
    const schema = {
      $defs: { node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } } },
      allOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { node: { $ref: '#/$defs/node' } }, required: ['node'] },
      ],
    };
    expect(start(schema)).toMatchObject({ a: '', node: { next: { next: {} } } });
  });

  it.each([
    ['date', /^\d{4}-\d\d-\d\d$/],
    ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    ['time', /./],
    ['duration', /./],
    ['uuid', /./],
    ['email', /@/],
    ['uri', /^https:/],
    ['hostname', /./],
    ['ipv4', /./],
    ['ipv6', /./],
    ['constructor', /^$/],
  ])('fills in a text of the format %s only if all are requested', (format, text) => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'string', format } } };
    expect(start(schema)).toEqual({ a: '' });
    const filled = start(schema, true) as { a: string };
    expect(filled.a).toMatch(text);
    expect(validateArguments(schema, filled)).toEqual({ valid: true });
  });

  it('fills in constants: nested ones, and those that distinguish an alternative', () => {
    const schema = {
      $defs: {
        card: { properties: { kind: { const: 'card' }, number: { type: 'string' } }, required: ['number'] },
      },
      type: 'object',
      properties: {
        deep: {
          type: 'object',
          properties: {
            in: { type: 'object', properties: { version: { const: 2 }, x: { type: 'string' } } },
          },
        },
        pay: {
          type: 'object',
          required: ['kind', 'amount'],
          properties: { kind: { type: 'string' }, amount: { type: 'number' } },
          oneOf: [{ $ref: '#/$defs/card' }, { properties: { kind: { const: 'cash' } } }],
        },
      },
    };
    expect(start(schema, true)).toEqual({
      deep: { in: { version: 2 } },
      pay: { kind: 'card', amount: 0, number: '' },
    });
  });

  it('stops on an alternative that refers to itself', () => {
    const schema = {
      $defs: { a: { oneOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } },
      $ref: '#/$defs/a',
    };
    expect(start(schema, true)).toEqual({});
  });

  it('takes the first alternative that is not null', () => {
    expect(
      start({
        type: 'object',
        required: ['a'],
        properties: { a: { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }] } },
      }),
    ).toEqual({ a: 3 });
  });

  it('keeps a property named __proto__ a property', () => {
    const schema = JSON.parse(
      '{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"}}}',
    ) as unknown;
    expect(Object.keys(start(schema) as object)).toEqual(['__proto__']);
  });
});

describe('shapes', () => {
  it.each([
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', format: 'date' }, 'string · date'],
    [{ type: 'array', items: { type: 'integer' } }, 'array<integer>'],
    [{ oneOf: [{ title: 'A' }, { const: 'b' }] }, 'A | "b"'],
    [{}, 'any'],
    [{ $ref: '#/nowhere' }, 'any'],
    [{ $ref: '#' }, 'any'],
  ])('%j reads %s', (schema, label) => {
    expect(typeLabel(shapeOf(schema, schema), schema)).toBe(label);
  });
});

describe('copies', () => {
  const call = {
    url: 'http://localhost/tools/a%2Fb/call',
    tool: 'a/b',
    args: { text: `it's "x"`, ok: true, none: null },
    token: '',
  };

  it('quotes for a shell, and includes a token only if there is one', () => {
    expect(asCurl(call)).toBe(
      `curl -X POST 'http://localhost/tools/a%2Fb/call' \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{"text":"it'\\''s \\"x\\"","ok":true,"none":null}'`,
    );
    expect(asCurl({ ...call, token: 'k' })).toContain(`-H 'Authorization: Bearer k'`);
  });

  it('writes Python, fetch and JSON-RPC', () => {
    const [, fetched, python, rpc] = copyForms.map((form) => form.write({ ...call, token: 'k' })) as [
      string,
      string,
      string,
      string,
    ];
    expect(python).toContain('"ok": True,\n');
    expect(python).toContain('"none": None,\n');
    expect(python).toContain('headers={"Authorization": "Bearer k"}');
    expect(fetched).toContain('authorization: "Bearer k"');
    expect(JSON.parse(rpc)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'a/b', arguments: call.args },
    });
  });
});

describe('links and media', () => {
  it.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['file:///etc/passwd'],
    ['vbscript:x'],
    ['//x'],
    ['x'],
    [' javascript:alert(1)'],
    ['java\nscript:alert(1)'],
  ])('makes no link of %j', (address) => {
    expect(safeLink(address)).toBeNull();
  });

  it('links to the web and to mail', () => {
    expect(safeLink('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
    expect(safeLink('mailto:a@b.c')).toBe('mailto:a@b.c');
  });

  it('shows only media that matches its type', () => {
    expect(mediaUrl('image', 'image/png', 'AA\nAA')).toBe('data:image/png;base64,AAAA');
    expect(mediaUrl('image', 'text/html', 'AAAA')).toBeNull();
    expect(mediaUrl('image', 'image/png" onerror="x', 'AAAA')).toBeNull();
    expect(mediaUrl('audio', 'audio/mpeg', '<script>')).toBeNull();
  });
});

describe('JSON text', () => {
  it('splits any text into tokens that add up to it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(
          tokenize(text)
            .map((token) => token.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('finds the matching bracket, not one inside a string', () => {
    const text = '{"a": ["}"]}';
    expect(matchingBracket(tokenize(text), 0)).toBe(11);
    expect(matchingBracket(tokenize(text), 11)).toBe(0);
    expect(matchingBracket(tokenize(text), 6)).toBe(10);
    expect(matchingBracket(tokenize(text), 8)).toBeNull();
  });

  it('reports the line of an error', () => {
    expect(parseJson('{\n  "a": 1,\n  oops\n}')).toMatchObject({ ok: false, line: 3 });
    expect(parseJson('  ')).toEqual({ ok: true, value: {} });
  });
});

describe('search', () => {
  const tool = (name: string, description = '') => ({ name, description });
  it('requires all words, ranks names before descriptions, and ignores case and accents', () => {
    const tools = [tool('other', 'lists a café'), tool('list_cafes'), tool('cafe'), tool('unrelated')];
    expect(searchTools(tools, 'CAFÉ').map(({ name }) => name)).toEqual(['cafe', 'list_cafes', 'other']);
    expect(searchTools(tools, 'list cafe').map(({ name }) => name)).toEqual(['list_cafes', 'other']);
  });

  it('groups by subject where names begin with a verb', () => {
    const groups = groupTools(
      [tool('getIssue'), tool('PostCharges'), tool('list_issues'), tool('get'), tool('GetChargesId')],
      'Other',
    );
    expect(groups.map(({ name, tools }) => [name, tools.length])).toEqual([
      ['issue', 2],
      ['charges', 2],
      ['Other', 1],
    ]);
  });

  it('groups by the first part of names', () => {
    const groups = groupTools(
      [tool('git_log'), tool('alone'), tool('git.show'), tool('issue/list'), tool('issueClose')],
      'Other',
    );
    expect(groups.map(({ name, tools }) => [name, tools.length])).toEqual([
      ['git', 2],
      ['issue', 2],
      ['Other', 1],
    ]);
  });
});

describe('measures', () => {
  it('are for people', () => {
    expect([formatBytes(999), formatBytes(1500), formatBytes(2_345_678)]).toEqual([
      '999 B',
      '1.5 kB',
      '2.35 MB',
    ]);
    expect([formatDuration(12.4), formatDuration(1234)]).toEqual(['12 ms', '1.23 s']);
    expect([estimateTokens('four'.repeat(10)), estimateTokens('日本語')]).toEqual([10, 3]);
  });
});

describe('comparison', () => {
  it('gives both texts back by leaving out what the other gained', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c')),
        fc.array(fc.constantFrom('a', 'b', 'c')),
        (left, right) => {
          const [before, after] = [left.join('\n'), right.join('\n')];
          const lines = compareLines(before, after);
          const side = (sign: string) =>
            lines
              .filter((line) => line.sign !== sign)
              .map((line) => line.text)
              .join('\n');
          expect([side('+'), side('-')]).toEqual([before, after]);
        },
      ),
    );
  });
});
