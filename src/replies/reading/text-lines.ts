const longestLine = 400;

/**
 * Where the lines of a text begin, and last its end: line `n` is what lies between two of them, its line break included.
 * A very long line counts as several, so that each can be shown.
 */
export function linesIn(text: string): readonly number[] {
  const starts: number[] = [];
  let at = 0;
  while (at < text.length) {
    starts.push(at);
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found + 1;
    at = end - at <= longestLine ? end : splitAt(text, at + longestLine);
  }
  starts.push(text.length);
  return starts;
}

// Both halves of a character that takes two units stay together.
function splitAt(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at + 1 : at;
}
