import { expect, it } from 'vitest';
import { cachesAreOn } from '../../../test/support/caches-are-on.ts';
import { cleanText } from './clean-text.ts';
import { rawTextContent, textOrStart } from './raw-reply.ts';

const bodies = ['plain "text" ', 'é', '漢字', '👍', 'a👍', 'a\u200bb', '\u200b\u00ad', '\ufeffx', 'x'];
const lengths = [1, 2, 3, 4, 5, 16, 100, 1_000, 5_000];

it.runIf(cachesAreOn).each(bodies)('shows how a text begins: %j', (words) => {
  const text = words.repeat(1_000);
  const bytes = Buffer.from(text);
  for (const length of lengths) {
    const part = rawTextContent(bytes, () => 'read whole');
    const start = textOrStart(part, length);
    const whole = cleanText(text);
    expect(whole.startsWith(start), `${length}: ${start.slice(0, 50)}`).toBe(true);
    expect(start.length).toBeGreaterThanOrEqual(Math.min(length, whole.length));
    expect(start.length).toBeLessThanOrEqual(length * 3 + 4);
  }
});

it.each([
  ['no UTF-8', Buffer.from([0x61, 0xff, 0x61])],
  ['bytes that continue nothing', Buffer.alloc(50, 0x80)],
  ['a character without its end', Buffer.from([0x61, 0xe2, 0x82])],
])('reads the text of what is %s', (_what, bytes) => {
  for (const length of [2, 10, 100]) {
    const part = rawTextContent(bytes, () => 'read whole');
    expect(textOrStart(part, length)).toBe('read whole');
  }
});
