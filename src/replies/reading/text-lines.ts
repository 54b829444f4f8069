const longestLine = 400;

/**
 * Where the lines of a text begin, and last its end: line `n` is what lies between two of them, its line break included.
 * A very long line counts as several, so that each can be shown.
 */
export function linesIn(text: string): readonly number[] {
  const starts: number[] = [];
  let at = 0;
  // Where the line ends that is being read: looked for once, however often it is split.
  let end = 0;
  while (at < text.length) {
    starts.push(at);
    if (end <= at) end = text.indexOf('\n', at) + 1 || text.length;
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
