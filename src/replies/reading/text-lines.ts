const longestLine = 400;

/**
 * Visits the lines of a text from a place where one begins, as long as `visit` wants to go on: line `n` is what lies
 * between two visits, its line break included. A very long line counts as several, so that each can be shown.
 */
export function walkLines(text: string, from: number, visit: (at: number) => boolean): void {
  let at = from;
  // Where the line ends that is being read: looked for once, however often it is split.
  let end = 0;
  while (at < text.length && visit(at)) {
    if (end <= at) end = text.indexOf('\n', at) + 1 || text.length;
    at = end - at <= longestLine ? end : splitAt(text, at + longestLine);
  }
}

/** Where the lines of a text begin, and last its end. */
export function linesIn(text: string): readonly number[] {
  const starts: number[] = [];
  walkLines(text, 0, (at) => {
    starts.push(at);
    return true;
  });
  starts.push(text.length);
  return starts;
}

// Both halves of a character that takes two units stay together.
function splitAt(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at + 1 : at;
}
