import { createMaskText } from '../lib/secrets/mask-secrets.ts';

/** Masks a secret in a text that comes in pieces. */
export interface MaskStream {
  /** What can be shown by now. */
  take(piece: string): string;
  /** The rest. */
  end(): string;
  /** Masks a text that is there whole. */
  whole(text: string): string;
}

// Longer than any form that a key is written in.
const longestHeld = 128 * 1024;

/** No form of a key has a blank or a letter beyond ASCII, so all up to the last of these can be shown. */
export function createMaskStream(secret: string | null): MaskStream {
  if (secret === null) return { take: (piece) => piece, end: () => '', whole: (text) => text };
  const mask = createMaskText([secret]);
  let held = '';
  return {
    take(piece) {
      let cut = piece.length;
      while (cut > 0 && isOfWord(piece.charCodeAt(cut - 1))) cut--;
      const isLong = held.length + piece.length > longestHeld;
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

function isOfWord(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}
