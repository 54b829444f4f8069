import { createMaskText } from '../lib/secrets/mask-secrets.ts';

/** Masks a secret in text that arrives in pieces. */
export interface MaskStream {
  /** Adds a piece and returns the text that can be shown so far. */
  take(piece: string): string;
  /** Returns the rest. */
  end(): string;
  /** Masks a complete text. */
  whole(text: string): string;
}

// Longer than any encoding of a key.
const maxHeldChars = 128 * 1024;

/** No encoding of a key contains whitespace or non-ASCII characters, so everything up to the last of these can be shown. */
export function createMaskStream(secret: string | null): MaskStream {
  if (secret === null) return { take: (piece) => piece, end: () => '', whole: (text) => text };
  const mask = createMaskText([secret]);
  let held = '';
  return {
    take(piece) {
      let cut = piece.length;
      while (cut > 0 && isWordCharacter(piece.charCodeAt(cut - 1))) cut--;
      const isLong = held.length + piece.length > maxHeldChars;
      if (cut === 0 && !isLong) {
        held += piece;
        return '';
      }
      if (isLong) cut = piece.length;
      const shown = mask(held + piece.slice(0, cut));
      held = piece.slice(cut);
      return shown;
    },
    end() {
      const rest = mask(held);
      held = '';
      return rest;
    },
    whole: mask,
  };
}

function isWordCharacter(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}
