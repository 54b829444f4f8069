import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../domain/json-schema.ts';
import type { Operation, OperationBody, Parameter } from '../../domain/operation.ts';
import { bodyWriter } from './serialize-body.ts';
import type { Arguments } from '../arguments/checked-arguments.ts';

function write(body: OperationBody, args: Record<string, JsonValue>, names = Object.keys(args)) {
  const parameters: Parameter[] = names.map((name) => ({ name, in: 'body', schema: {}, required: false }));
  const operation: Operation = { method: 'POST', path: '/', parameters, body };
  return bodyWriter(operation, () => false)(args as Arguments);
}

const form = 'application/x-www-form-urlencoded';

describe('form bodies', () => {
  it('repeats arrays and writes objects as JSON when nothing else is said', () => {
    const body = write({ mediaType: form, shape: 'fields' }, { a: 'x y', b: [1, 2], c: { d: 1 }, e: null });
    expect(body?.content).toBe('a=x%20y&b=1&b=2&c=%7B%22d%22%3A1%7D');
  });

  it('follows the encoding of each field', () => {
    const body = write(
      {
        mediaType: form,
        shape: 'fields',
        encoding: { meta: { style: 'deepObject', explode: true }, ids: { style: 'form', explode: false } },
      },
      { meta: { a: { b: 1 } }, ids: [1, 2] },
    );
    expect(body?.content).toBe('meta%5Ba%5D%5Bb%5D=1&ids=1,2');
  });

  it('sends nothing without arguments, and an empty form when one is required', () => {
    expect(write({ mediaType: form, shape: 'fields' }, {})).toBeNull();
    expect(write({ mediaType: form, shape: 'fields', required: true }, {})?.content).toBe('');
  });
});

describe('bodies of JSON lines', () => {
  const items = [{ a: 1 }, 'two', [3]];
  it.each([
    ['application/x-ndjson', '{"a":1}\n"two"\n[3]\n'],
    ['application/jsonl', '{"a":1}\n"two"\n[3]\n'],
    ['application/geo+json-seq', '\u001e{"a":1}\n\u001e"two"\n\u001e[3]\n'],
  ])('of %s hold one value a line', (mediaType, content) => {
    expect(write({ mediaType, shape: 'whole' }, { body: items })).toEqual({
      contentType: mediaType,
      content,
    });
  });

  it('are sent as they stand when they come as text', () => {
    const body = write({ mediaType: 'application/x-ndjson', shape: 'whole' }, { body: '{}\n{}\n' });
    expect(body?.content).toBe('{}\n{}\n');
  });
});

describe('multipart bodies', () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);

  async function parts(body: ReturnType<typeof write>) {
    const response = new Response(body?.content as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': body?.contentType ?? '' },
    });
    return [...(await response.formData()).entries()];
  }

  it('sends files from base64 and data URLs, text and JSON, in a form another reader understands', async () => {
    const body = write(
      {
        mediaType: 'multipart/form-data',
        shape: 'fields',
        encoding: { one: { file: true }, two: { file: true } },
      },
      {
        one: png.toString('base64'),
        two: [`data:image/png;name=a%20b.png;base64,${png.toString('base64')}`, 'data:,hello%20there'],
        text: 'plain "text"',
        number: 7,
        object: { a: 1 },
        skipped: null,
      },
    );
    const read = await parts(body);
    expect(read.map(([name]) => name)).toEqual(['one', 'two', 'two', 'text', 'number', 'object']);
    const [one, two, three] = read.map(([, value]) => value) as File[];
    expect(Buffer.from(await one!.arrayBuffer())).toEqual(png);
    expect([two!.name, two!.type]).toEqual(['a b.png', 'image/png']);
    expect(await three!.text()).toBe('hello there');
    expect(read[3]![1]).toBe('plain "text"');
    expect(read[4]![1]).toBe('7');
    expect(Buffer.from(body!.content as Uint8Array).toString('latin1')).toContain(
      'Content-Type: application/json\r\n\r\n{"a":1}',
    );
  });

  it('is the same for the same arguments, and another for others', () => {
    const one = write({ mediaType: 'multipart/form-data', shape: 'fields' }, { a: '1' });
    const again = write({ mediaType: 'multipart/form-data', shape: 'fields' }, { a: '1' });
    expect([again?.contentType, again?.content]).toEqual([one?.contentType, one?.content]);
    expect(write({ mediaType: 'multipart/form-data', shape: 'fields' }, { a: '2' })?.contentType).not.toBe(
      one?.contentType,
    );
  });

  it('keeps quotes and line breaks of a name inside the name', async () => {
    const body = write({ mediaType: 'multipart/form-data', shape: 'fields' }, { 'a"\r\nX: y': '1' });
    expect((await parts(body)).length).toBe(1);
  });

  it('refuses text that is not a file', () => {
    expect(() =>
      write(
        { mediaType: 'multipart/form-data', shape: 'fields', encoding: { f: { file: true } } },
        { f: 'not base64!' },
      ),
    ).toThrow('f must be a file');
  });
});

describe('whole bodies', () => {
  it.each<[JsonValue, string]>([
    [[1, 2], '[1,2]'],
    ['text', '"text"'],
    ['314159', '"314159"'],
    [null, 'null'],
    [{ a: [] }, '{"a":[]}'],
  ])('sends %j as JSON', (value, text) => {
    expect(write({ mediaType: 'application/json', shape: 'whole' }, { body: value })?.content).toBe(text);
  });

  it('sends text and XML as they are, and bytes from base64', () => {
    expect(write({ mediaType: 'text/plain', shape: 'whole' }, { body: 'a\nb' })?.content).toBe('a\nb');
    expect(write({ mediaType: 'application/xml', shape: 'whole' }, { body: '<a/>' })?.content).toBe('<a/>');
    const bytes = write(
      { mediaType: 'application/octet-stream', shape: 'whole', binary: true },
      { body: 'data:image/gif;base64,R0lG' },
    );
    expect(bytes).toEqual({ contentType: 'image/gif', content: Buffer.from('GIF') });
  });

  it('writes an object as a form when the media type is one', () => {
    expect(write({ mediaType: form, shape: 'whole' }, { body: { a: 1, b: ['x', 'y'] } })?.content).toBe(
      'a=1&b=x&b=y',
    );
  });

  it('keeps a field named __proto__ a field', () => {
    const body = write(
      { mediaType: 'application/json', shape: 'fields' },
      JSON.parse('{"__proto__":{"x":1}}') as Record<string, JsonValue>,
    );
    expect(body?.content).toBe('{"__proto__":{"x":1}}');
  });
});
