/** A token of JSON text. */
export interface JsonToken {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark';
  readonly text: string;
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** The lines of an HTTP request above its body. */
const requestHead = /^[A-Z]+ \S+\n(?:[^\n]+\n)*\n?/;

/** Splits JSON text into tokens for highlighting. Joined together they are the original text, even if it isn't JSON. */
export function tokenizeJson(json: string): JsonToken[] {
  const pieces: JsonToken[] = [];
  let end = requestHead.exec(json)?.[0].length ?? 0;
  if (end > 0) pieces.push({ kind: 'mark', text: json.slice(0, end) });
  const offset = end;
  for (const match of json.slice(offset).matchAll(token)) {
    const at = match.index + offset;
    if (at > end) pieces.push({ kind: 'mark', text: json.slice(end, at) });
    if (match[1] !== undefined) {
      pieces.push({ kind: match[2] === undefined ? 'text' : 'key', text: match[1] });
      if (match[2] !== undefined) pieces.push({ kind: 'mark', text: match[2] });
    } else pieces.push({ kind: match[3] === undefined ? 'word' : 'number', text: match[0] });
    end = at + match[0].length;
  }
  if (end < json.length) pieces.push({ kind: 'mark', text: json.slice(end) });
  return pieces;
}

/** Pretty-prints JSON, also as the body below the lines of an HTTP request; other text is returned unchanged. */
export function prettyPrint(text: string): string {
  const head = requestHead.exec(text)?.[0] ?? '';
  try {
    return head + JSON.stringify(JSON.parse(text.slice(head.length)), null, 2);
  } catch {
    return text;
  }
}
