import { describe, expect, it } from 'vitest';
import { isPlainAscii } from './plain-ascii.ts';

const expected = (byte: number) => (byte >= 0x20 && byte < 0x7f) || [0x09, 0x0a, 0x0d].includes(byte);

describe('plain ASCII', () => {
  it.each([0, 1, 2, 3])(
    'is told for every byte at every place (%i bytes from where words begin)',
    (offset) => {
      const room = Buffer.alloc(32);
      for (const length of [1, 2, 3, 4, 5, 11, 16]) {
        for (let at = 0; at < length; at++) {
          for (let byte = 0; byte < 256; byte++) {
            for (const around of [0x20, 0x7e, 0x61]) {
              const bytes = room.subarray(offset, offset + length).fill(around);
              bytes[at] = byte;
              expect(isPlainAscii(bytes)).toBe(expected(byte));
            }
          }
        }
      }
      expect(isPlainAscii(room.subarray(offset, offset))).toBe(true);
    },
  );
});
