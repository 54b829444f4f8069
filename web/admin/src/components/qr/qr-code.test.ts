import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { qrCode } from './qr-code.ts';

const drawn = (text: string) =>
  createHash('sha256')
    .update(
      qrCode(text)!
        .map((row) => row.map((dark) => (dark ? '#' : '.')).join(''))
        .join('\n'),
    )
    .digest('hex');

// A reader (zbar) read these two back, and every length in between.
test('draws what a reader can read', () => {
  expect(drawn('https://gateway.example.com/mcp/weather')).toBe(
    'c4aebcf22c81c31832954244f77c5fbb5ca35199fae3fe34022401052f112fb9',
  );
  expect(drawn('x'.repeat(213))).toBe('5b61c982b56d25234b982f4f8af846b0eceec99e4b8110731fd50415460174a5');
});

test('grows with the text, and gives up when it is too long', () => {
  expect(qrCode('a')).toHaveLength(21);
  expect(qrCode('x'.repeat(213))).toHaveLength(57);
  expect(qrCode('x'.repeat(214))).toBeNull();
});
