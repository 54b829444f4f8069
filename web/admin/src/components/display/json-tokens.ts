/** A token of JSON text. */
export interface JsonToken {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark';
  readonly text: string;
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Splits JSON text into tokens for highlighting. Joined together they are the original text, even if it isn't JSON. */
export function tokenizeJson(json: string): JsonToken[] {
  const pieces: JsonToken[] = [];
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

/** Pretty-prints JSON; other text is returned unchanged. */
export function prettyPrint(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
