import { tokenBound } from '../../lib/text/token-bound.ts';

const longestLine = 400;
// What fits the smallest budget, with words around it.
const maxTokens = 295;
// Whatever it says, so much does.
const alwaysFits = 100;

/**
 * Visits the lines of a text from a place where one begins, as long as `visit` wants to go on: line `n` is what lies
 * between two visits, its line break included. A long line counts as several, so that each can be shown.
 */
export function walkLines(text: string, from: number, visit: (at: number) => boolean): void {
  let at = from;
  // Where the line ends that is being read: looked for once, however often it is split.
  let end = 0;
  while (at < text.length && visit(at)) {
    if (end <= at) end = text.indexOf('\n', at) + 1 || text.length;
    at = pieceEnd(text, at, end);
  }
}

function pieceEnd(text: string, from: number, end: number): number {
  let length = Math.min(end - from, longestLine);
  while (length > alwaysFits && tokenBound(text.slice(from, from + length)) > maxTokens)
    length = Math.max(alwaysFits, length >> 1);
  return from + length === end ? end : splitAt(text, from + length);
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
