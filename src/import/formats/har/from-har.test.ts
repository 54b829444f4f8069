import { describe, expect, it } from 'vitest';
import { parseImport } from '../../reading/parse-import.ts';

const read = (entries: unknown[]) =>
  parseImport({
    files: [{ name: 'har', content: Buffer.from(JSON.stringify({ log: { version: '1.2', entries } })) }],
  }).apis;
const entry = (method: string, url: string, request: object = {}, response: object = {}) => ({
  request: { method, url, headers: [], ...request },
  response: { status: 200, content: { mimeType: 'application/json', text: '{}' }, ...response },
});
const headers = (given: Record<string, string>) => ({
  headers: Object.entries(given).map(([name, value]) => ({ name, value })),
});
const operationOf = (one: unknown) => read([one])[0]!.operations[0]!.content!.operation;

describe('recorded requests', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

  it('keeps no secret: by name, by form, in the path, in the query, in a header or a body', () => {
    const secret = 'k3yM4t3r1alZZ9988aabb';
    const json = { a: { deep: jwt }, list: [secret], passcode: secret, ok: 'plain words' };
    const [api] = read([
      entry(
        'POST',
        `https://user:${secret}@x.example/verify/${jwt}/s;jsessionid=${secret}/${secret}?t=${jwt}&sid=${secret}&key=AIza${'a1'.repeat(18)}&X-Amz-Signature=${secret}&q=shoes`,
        {
          ...headers({
            'X-Session-Id': secret,
            'x-client': 'web',
            'X-Opaque': secret,
            'X-CSRF-Token': secret,
            cookie: `sid=${secret}`,
          }),
          postData: { mimeType: 'application/json', text: JSON.stringify(json) },
        },
      ),
    ]);
    const kept = JSON.stringify(api);
    for (const form of [secret, jwt, 'AIza']) expect(kept).not.toContain(form);
    expect(kept).toContain('shoes');
    expect(api!.operations[0]!.key).toBe('POST /verify/{verify_token}/s/{s_id}');
    expect(api!.operations[0]!.content!.operation.parameters).toContainEqual(
      expect.objectContaining({ name: 'x-client', fixed: 'web' }),
    );
  });

  it('keeps a query parameter that is repeated as a list', () => {
    const { parameters } = operationOf(entry('GET', 'https://x.example/a?tag=x&tag=y'));
    expect(parameters).toMatchObject([{ name: 'tag', schema: { type: 'array', examples: [['x', 'y']] } }]);
  });

  it('takes a multipart body apart that was recorded as text', () => {
    const text =
      '--b\r\nContent-Disposition: form-data; name="note"\r\n\r\na%20b\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="x.bin"\r\n\r\nbytes\r\n--b--\r\n';
    const { body, parameters } = operationOf(
      entry('POST', 'https://x.example/a', {
        postData: { mimeType: 'multipart/form-data; boundary=b', text },
      }),
    );
    expect(parameters).toMatchObject([
      { name: 'note', schema: { examples: ['a%20b'] } },
      { name: 'f', required: true },
    ]);
    expect(body!.encoding).toEqual({ f: { file: true } });
  });

  it('asks for a body of bytes instead of keeping the recording', () => {
    const postData = { mimeType: 'image/png', text: '\u0089PNG' };
    const { body, parameters } = operationOf(entry('PUT', 'https://x.example/a', { postData }));
    expect(body).toMatchObject({ mediaType: 'image/png', binary: true });
    expect(parameters).toMatchObject([{ name: 'body', required: true }]);
  });

  it('leaves out preflights and what is no HTTP, and says so', () => {
    const [api] = read([
      entry('OPTIONS', 'https://x.example/a', headers({ 'Access-Control-Request-Method': 'PUT' })),
      entry('PUT', 'https://x.example/a'),
      entry('GET', 'wss://x.example/socket'),
      entry('GET', 'data:text/plain,x'),
    ]);
    expect(api!.operations.map(({ key, content, notes }) => [key, content !== null, notes[0]!.code])).toEqual(
      [
        ['OPTIONS /a', false, 'preflight'],
        ['PUT /a', true, 'observed_only'],
      ],
    );
    expect(api!.notes).toMatchObject([{ code: 'entries_left_out' }]);
  });
});
