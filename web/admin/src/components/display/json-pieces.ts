/** A piece of JSON text and what it is. */
export interface JsonPiece {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark';
  readonly text: string;
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Cuts JSON text into coloured pieces. Joined together they are the text again, whatever it was. */
export function piecesOf(json: string): JsonPiece[] {
  const pieces: JsonPiece[] = [];
  let end = 0;
  for (const match of json.matchAll(token)) {
    if (match.index > end) pieces.push({ kind: 'mark', text: json.slice(end, match.index) });
    if (match[1] !== undefined) {
      pieces.push({ kind: match[2] === undefined ? 'text' : 'key', text: match[1] });
      if (match[2] !== undefined) pieces.push({ kind: 'mark', text: match[2] });
    } else pieces.push({ kind: match[3] === undefined ? 'word' : 'number', text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < json.length) pieces.push({ kind: 'mark', text: json.slice(end) });
  return pieces;
}

/** JSON text laid out for reading; other text as it is. */
export function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
