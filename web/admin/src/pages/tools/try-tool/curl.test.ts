import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlOf } from './curl.ts';
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
