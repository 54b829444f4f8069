import { execFileSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { curlOf, httpOf, pythonOf, readHttp, typescriptOf } from './request-code.ts';
import fc from '../../../../../../test/support/property.ts';

test('writes method, URL, headers and body', () => {
  expect(
    curlOf({
      method: 'POST',
      url: 'https://a.test/x?y=1',
      headers: { accept: 'application/json' },
      body: '{"a":"it\'s"}',
    }),
  ).toBe(
    `curl -X POST 'https://a.test/x?y=1' \\\n  -H 'accept: application/json' \\\n  --data-raw '{"a":"it'\\''s"}'`,
  );
});

test('a shell reads every value back as it was', () => {
  const safe = fc.string({ maxLength: 30 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(safe, (body) => {
      const command = curlOf({ method: 'POST', url: 'u', headers: {}, body }).replace(
        /^curl/,
        'printf "%s\\n"',
      );
      const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8' });
      expect(printed).toBe(`-X\nPOST\nu\n--data-raw\n${body}\n`);
    }),
    { numRuns: 40 },
  );
});

describe('a request as code', () => {
  const request = {
    method: 'POST',
    url: 'https://api.example.com/pets?x=1',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: '{"name":"A \\"pet\\""}\n\nend',
  };

  it('is TypeScript that sends the same', async () => {
    const sent: unknown[] = [];
    // It is our own code that runs here.
    // oxlint-disable-next-line typescript/no-implied-eval
    const run = new Function('fetch', 'console', `return (async () => {${typescriptOf(request)}})()`);
    await run(
      (url: string, init: object) => {
        sent.push({ url, ...init });
        return { status: 200, text: () => '' };
      },
      { log: () => undefined },
    );
    expect(sent).toEqual([request]);
  });

  it('is Python', () => {
    expect(pythonOf({ ...request, body: null })).toContain('"https://api.example.com/pets?x=1",');
    expect(pythonOf(request)).toContain('.encode(),');
  });

  it('is read back from a record, if it is whole', () => {
    expect(readHttp(httpOf(request))).toEqual(request);
    expect(readHttp(httpOf({ ...request, body: null }))).toEqual({ ...request, body: null });
    expect(readHttp('2 requests')).toBeNull();
  });
});
