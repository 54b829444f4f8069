import { correction, generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';

/** A QR code: its width and height in squares, without the quiet zone around it, and its dark squares as the path of an SVG. */
export interface QrCodeShape {
  readonly size: number;
  readonly path: string;
}

// Version 10 holds 200 bytes in every encoding; a denser code could not be read from a screen at the size at which it is drawn.
const longestBytes = 200;

/** Draws a text; null when it is too long. */
export function qrCode(text: string): QrCodeShape | null {
  if (new TextEncoder().encode(text).length > longestBytes) return null;
  const code = generate(text, { minCorrectionLevel: correction.M, maxVersion: 10 });
  return { size: code.size, path: toSvgPath(code) };
}
