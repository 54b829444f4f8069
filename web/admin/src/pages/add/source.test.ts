import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { base64, packLongText, sourceOf } from './source.ts';

test('a single URL is fetched, anything else is the description itself', () => {
  expect(sourceOf('  https://a.test/openapi.json \n')).toEqual({ url: 'https://a.test/openapi.json' });
  expect(sourceOf('curl https://a.test/x')).toEqual({ text: 'curl https://a.test/x' });
  expect(sourceOf('{"openapi":"3.1.0"}')).toEqual({ text: '{"openapi":"3.1.0"}' });
  expect(sourceOf(' \n')).toBeNull();
});

test('encodes large files', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
  expect(base64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
});

test('compresses a long text, and sends a short one unchanged', async () => {
  const long = 'openapi: 3.1.0\n'.repeat(20_000);
  const { files } = await packLongText({ text: long });
  expect(gunzipSync(Buffer.from(files![0]!.content, 'base64')).toString()).toBe(long);
  expect(await packLongText({ text: 'short' })).toEqual({ text: 'short' });
});
