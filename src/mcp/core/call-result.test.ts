import { describe, expect, it } from 'vitest';
import { apiAt, toolOf } from '../../../test/support/calling.ts';
import fc from '../../../test/support/property.ts';
import { keepText, maskTextFor, type MaskText } from '../../lib/secrets/mask-secrets.ts';
import { rawBytes } from '../../pipeline/reply/raw-reply.ts';
import { transform } from '../../pipeline/reply/transform.ts';
import type { Outcome } from '../../pipeline/call.ts';
import type { Output, Reply } from '../../pipeline/reply/reply.ts';
import { escapedText } from '../fast/fast-lane.ts';
import { resultText } from './call-result.ts';

const api = apiAt('http://api.example');

function replyOf(body: string | Buffer, headers: Record<string, string> = {}): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
    tries: 1,
    cached: false,
    upstreamMs: 1,
  };
}

function outputOf(reply: Reply, maskSecrets: MaskText = keepText): Output {
  return transform(toolOf(api), reply, maskSecrets, false);
}

function written(output: Output): string {
  const outcome: Outcome = { kind: 'done', output, status: 200 };
  const text = resultText({ outcome, promised: false, hint: '' }, ',"stamp":1', escapedText);
  return typeof text === 'string'
    ? text
    : Buffer.concat(text.map((piece) => Buffer.from(piece))).toString('utf8');
}

/** The same by way of objects. */
const expected = ({ content }: Output) => ({ content: content.map((part) => ({ ...part })), stamp: 1 });

const row = '{"name":"A \\"quoted\\" name","path":"C:\\\\x","note":"two\\nlines\\ttab"}';
const long = `[\n${Array.from({ length: 200 }, () => row).join(',\r\n\t')}]`;

// The bytes are a cache: without it the same text is written from the string.
const isCached = process.env['HANDRAIL_TEST_NO_CACHE'] !== '1';

describe('the text of a result', () => {
  it.each([
    ['ASCII', replyOf(long)],
    [
      'ASCII that begins with what is no character',
      replyOf(Buffer.concat([Buffer.from([0xff]), Buffer.from(long)])),
    ],
    ['letters beyond ASCII', replyOf(long.replace('quoted', 'zitiert – ü, 漢字, 👩‍💻'))],
    ['marks that nobody sees', replyOf(long.replaceAll('lines', 'li\u200bn\u0000es\u007f'))],
    ['a byte-order mark', replyOf(`\ufeff${long}`)],
    [
      'western letters that nobody announced',
      replyOf(Buffer.from(long.replaceAll('lines', 'Zeilen f\u00fcr'), 'latin1')),
    ],
    ['another charset', replyOf(long, { 'content-type': 'application/json; charset=iso-8859-1' })],
    ['a page', replyOf(`<p>${'word "x" '.repeat(1_000)}</p>`, { 'content-type': 'text/html' })],
    ['headers that tell something', replyOf(long, { location: '/things/7' })],
    ['a short reply', replyOf('{"a":"\\"b\\""}')],
    ['nothing', replyOf('', { location: '/things/7' })],
  ])('is that of its parts: %s', (_what, reply) => {
    const output = outputOf(reply);
    const text = written(output);
    expect(JSON.parse(text)).toEqual(expected(output));
  });

  it('is written from the bytes of a long text that nothing was done to', () => {
    const output = outputOf(replyOf(long));
    expect(rawBytes(output.content[0]!) !== undefined).toBe(isCached);
    expect(written(output)).toBe(`{"content":[{"type":"text","text":${JSON.stringify(long)}}],"stamp":1}`);
  });

  it.each(['Zürich – “x”', '漢字', '👍🏽', 'Ж'])('is written from bytes that are no ASCII: %s', (words) => {
    const text = JSON.stringify(Array.from({ length: 1_000 }, () => words));
    const output = outputOf(replyOf(text));
    expect(
      Array.isArray(
        resultText(
          { outcome: { kind: 'done', output, status: 200 }, promised: false, hint: '' },
          '',
          escapedText,
        ),
      ),
    ).toBe(isCached);
    expect(written(output)).toBe(`{"content":[{"type":"text","text":${JSON.stringify(text)}}],"stamp":1}`);
  });

  it('has secrets masked that the API sent back', () => {
    const mask = maskTextFor(['s3cret-canary']);
    const output = outputOf(replyOf(`${long} s3cret-canary`), mask);
    expect(written(output)).not.toContain('canary');
    expect(written(output)).toContain('[masked]');
    const harmless = outputOf(replyOf(long), mask);
    expect(JSON.parse(written(harmless))).toEqual(expected(harmless));
    expect(rawBytes(harmless.content[0]!) !== undefined).toBe(isCached);
  });

  it('is that of its parts for any body', () => {
    const character = fc.oneof(
      { weight: 50, arbitrary: fc.constantFrom('a', '"', '\\', ' ', '\n', '{', '9') },
      { weight: 1, arbitrary: fc.constantFrom('é', '\u200b', '\u0000', '\ud83d', '漢', '\u007f') },
    );
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 40 }), (text) => {
        const output = outputOf(replyOf(text.repeat(Math.ceil(5_000 / text.length))));
        expect(JSON.parse(written(output))).toEqual(expected(output));
      }),
      { numRuns: 300 },
    );
  });
});
