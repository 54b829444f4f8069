import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import wabt from 'wabt';
import fc from '../../../../test/support/property.ts';
import { cleanText } from '../../../pipeline/reply/clean-text.ts';
import { escapeBytes } from './escape-bytes.ts';
import { escapeBytesModule } from './escape-bytes-module.ts';

function escaped(bytes: Uint8Array): string | null {
  const pieces = escapeBytes(bytes);
  return pieces === null ? null : Buffer.concat(pieces).toString('utf8');
}

/** What it has to be, made the slow way. */
function expected(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  const text = Buffer.from(bytes).toString('utf8');
  if (cleanText(text) !== text) return null;
  return JSON.stringify(text).slice(1, -1);
}

// They are left to whoever reads the text: a joiner may be one of two, and others stand beside what is not seen.
const maybeSeen = /[\u200c-\u200d\ufe70-\ufefe\uffc0-\uffff\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]/u;

/** Whether they come out otherwise than the slow way makes them. */
function differs(bytes: Uint8Array): boolean {
  const own = escaped(bytes);
  if (own === null && maybeSeen.test(Buffer.from(bytes).toString('utf8'))) return false;
  return own !== expected(bytes);
}

// Where a piece of sixteen and where a slice ends.
const lengths = [0, 1, 2, 15, 16, 17, 31, 32, 33, 65_535, 65_536, 65_537, 131_072, 200_001];

describe('escaping bytes for JSON', () => {
  it('is the module that its source describes', async () => {
    const { parseWat } = await wabt();
    const source = readFileSync(new URL('./escape-bytes.wat', import.meta.url), 'utf8');
    const { buffer } = parseWat('escape-bytes.wat', source, { simd: true }).toBinary({});
    expect(escapeBytesModule).toBe(Buffer.from(buffer).toString('base64'));
  });

  it('treats every byte as JSON does, wherever it stands', () => {
    const wrong: string[] = [];
    for (let byte = 0; byte < 256; byte++) {
      for (let at = 0; at < 20; at++) {
        const bytes = Buffer.alloc(20, 'a');
        bytes[at] = byte;
        if (differs(bytes)) wrong.push(`${byte} at ${at}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('treats every character of Unicode as JSON does', () => {
    const wrong: string[] = [];
    for (let code = 0x80; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      if (differs(Buffer.from(`a${String.fromCodePoint(code)}b`))) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('leaves few of those that are seen to others', () => {
    const left = ['é', 'ß', 'Ж', 'ع', '漢', '한', '–', '’', '€', '→', '😀', '𝒳', '가', 'ﬁ', '\u00a0'];
    for (const character of left) expect(escaped(Buffer.from(character)), character).toBe(character);
  });

  it('refuses every sequence of bytes that is no UTF-8', () => {
    const wrong: string[] = [];
    const look = (...bytes: number[]) => differs(Buffer.from(bytes)) && wrong.push(bytes.join(' '));
    for (let first = 0x80; first < 256; first++) {
      for (let second = 0; second < 256; second++) {
        look(0x61, first, second);
        for (const third of [0x00, 0x61, 0x7f, 0x80, 0x8b, 0xa0, 0xbf, 0xc0, 0xff]) {
          look(first, second, third);
          for (const fourth of [0x22, 0x80, 0xbf, 0xc2]) look(first, second, third, fourth);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(lengths)('is right for %i bytes', (length) => {
    for (const words of ['plain, "quotes" \\ in\tit\r\n', '"', 'é', 'x漢字', '👍', 'a–b’c "ü" ']) {
      const bytes = Buffer.from(words.repeat(length / words.length + 1)).subarray(0, length);
      expect(differs(bytes), words).toBe(false);
      for (const odd of [0xc3, 0xe2, 0xf0, 0xff, 0x00]) {
        if (length === 0) continue;
        const wrong = Buffer.from(bytes);
        wrong[length - 1] = odd;
        expect(escaped(wrong), `${words} and ${odd}`).toBeNull();
      }
    }
  });

  it('is not confused by what it escaped before', () => {
    expect(escaped(Buffer.alloc(100, 0xff))).toBeNull();
    expect(escaped(Buffer.from('ab'))).toBe('ab');
    expect(escaped(Buffer.alloc(64, '"'))).toBe('\\"'.repeat(64));
    expect(escaped(Buffer.from('abc'))).toBe('abc');
    expect(escaped(Buffer.from('é'.repeat(50)))).toBe('é'.repeat(50));
    // What stands behind its end in the memory would make it a character.
    expect(escaped(Buffer.from([0x61, 0xc3]))).toBeNull();
    expect(escaped(Buffer.from([0xc3]))).toBeNull();
  });

  it('is what JSON makes of any bytes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 }).map((each) => Buffer.from(each));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 300 })), (bytes) => {
        expect(differs(bytes)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });
});
