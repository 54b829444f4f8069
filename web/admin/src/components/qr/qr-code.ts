import { correction, generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';

/** A QR code: its size in squares without the quiet zone, and its dark squares as an SVG path. */
export interface QrCodeShape {
  readonly size: number;
  readonly path: string;
}

// Version 10 fits 200 bytes in every encoding. A denser code couldn't be scanned from a screen at this size.
const maxBytes = 200;

/** Encodes a text; null if it is too long. */
export function qrCode(text: string): QrCodeShape | null {
  if (new TextEncoder().encode(text).length > maxBytes) return null;
  const code = generate(text, { minCorrectionLevel: correction.M, maxVersion: 10 });
  return { size: code.size, path: toSvgPath(code) };
}
