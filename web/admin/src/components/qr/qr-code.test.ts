import decodeQr from 'qr/decode.js';
import { expect, test } from 'vitest';
import { type QrCodeShape, qrCode } from './qr-code.ts';

const pixelsPerSquare = 4;
const quiet = 4;

/** Paints the path like a browser, including the quiet zone. */
function paint({ size, path }: QrCodeShape): { width: number; height: number; data: Uint8Array } {
  const edges = path
    .split('Z')
    .filter((outline) => outline !== '')
    .flatMap((outline) => {
      const corners = outline
        .slice(1)
        .split('L')
        .map((corner) => corner.split(' ').map(Number) as [number, number]);
      return corners.map((from, at) => ({ from, to: corners[(at + 1) % corners.length]! }));
    })
    .filter(({ from, to }) => from[0] === to[0]);
  const isDark = (x: number, y: number) =>
    edges.reduce((winding, { from, to }) => {
      const crosses = from[0] <= x && Math.min(from[1], to[1]) < y && y < Math.max(from[1], to[1]);
      return crosses ? winding + Math.sign(to[1] - from[1]) : winding;
    }, 0) !== 0;
  const side = (size + 2 * quiet) * pixelsPerSquare;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      if (!isDark(x + 0.5, y + 0.5)) continue;
      for (let row = 0; row < pixelsPerSquare; row++) {
        const start = ((y + quiet) * pixelsPerSquare + row) * side * 4 + (x + quiet) * pixelsPerSquare * 4;
        for (let pixel = 0; pixel < pixelsPerSquare; pixel++)
          data.fill(0, start + pixel * 4, start + pixel * 4 + 3);
      }
    }
  return { width: side, height: side, data };
}

test.each([
  'a',
  '0123456789',
  'HTTPS://GATEWAY.EXAMPLE.COM',
  'https://gateway.example.com/mcp/weather',
  'http://[2001:db8::1]:8080/mcp/a-b-c?key=x&y=%20',
  'https://bücher.example/mcp/größe',
  `https://gateway.example.com/${'x'.repeat(172)}`,
])('draws %s so that a reader reads it', (text) => {
  // The reader gets as many attempts as it needs, however busy the machine is.
  expect(decodeQr(paint(qrCode(text)!), { timeLimit: 60_000 })).toBe(text);
});

test('grows with the text, and gives up when it is too long', () => {
  expect(qrCode('a')?.size).toBe(21);
  expect(qrCode('x'.repeat(200))?.size).toBe(57);
  expect(qrCode('x'.repeat(201))).toBeNull();
  expect(qrCode('ü'.repeat(101))).toBeNull();
});
