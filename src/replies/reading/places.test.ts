import { describe, expect, it } from 'vitest';
import { skimText, stretchFrom } from './places.ts';
import { bytesOfPage, readPage } from './read-page.ts';

const long = 'words and words '.repeat(20);
const rows = Array.from({ length: 3_000 }, (_, n) => ({ n, name: `Ding № ${n} 🙂`, long }));

const texts: Readonly<Record<string, string>> = {
  records: JSON.stringify(rows),
  'indented records': JSON.stringify(rows, null, 2),
  'short records': JSON.stringify(Array.from({ length: 200_000 }, (_, n) => n)),
  'a record that is longer than a page': JSON.stringify([1, long.repeat(1_000), ...rows]),
  lines: rows.map((row) => JSON.stringify(row)).join('\n'),
  'empty lines': '\n'.repeat(200_000),
  'one line': '日本語 text '.repeat(50_000),
  'no line': '',
  'JSON that is no list': JSON.stringify({ rows }),
};

describe('the places of a text', () => {
  it.each(Object.keys(texts))('lead to every part of it without reading the rest: %s', (name) => {
    const text = texts[name]!;
    const bytes = Buffer.from(text);
    const { places } = skimText(text);
    const tokens = 500;
    let longest = 0;
    for (let step = 0; step < 40; step++) {
      const request = { offset: Math.floor((places.total * step) / 39) };
      const { first, fromByte, toByte } = stretchFrom(
        places,
        request.offset,
        bytesOfPage(tokens),
        bytes.length,
      );
      longest = Math.max(longest, toByte - fromByte);
      const stretch = bytes.subarray(fromByte, toByte).toString('utf8');
      expect(readPage({ text: stretch, first, places }, request, tokens)).toEqual(
        readPage({ text, first: 0, places }, request, tokens),
      );
    }
    if (!name.startsWith('a record')) expect(longest).toBeLessThanOrEqual(300_000);
  });
});
