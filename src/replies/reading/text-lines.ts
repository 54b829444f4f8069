import { tokenBound } from '../../lib/text/token-bound.ts';

const maxLineLength = 400;
// Fits the smallest budget, including the words around it.
const maxTokens = 295;
// Fits in any case, whatever the text is.
const alwaysFits = 100;

/**
 * Visits the lines of a text, starting at the beginning of one, until `visit` returns false: line `n` is what
 * lies between two visits, including its line break. A long line counts as several, so that each can be shown.
 */
export function walkLines(text: string, from: number, visit: (at: number) => boolean): void {
  let at = from;
  // The end of the current line: searched for once, however often the line is split.
  let end = 0;
  while (at < text.length && visit(at)) {
    if (end <= at) end = text.indexOf('\n', at) + 1 || text.length;
    at = pieceEnd(text, at, end);
  }
}

function pieceEnd(text: string, from: number, end: number): number {
  let length = Math.min(end - from, maxLineLength);
  while (length > alwaysFits && tokenBound(text.slice(from, from + length)) > maxTokens)
    length = Math.max(alwaysFits, length >> 1);
  return from + length === end ? end : splitAt(text, from + length);
}

/** Where the lines of a text start, followed by its end. */
export function linesIn(text: string): readonly number[] {
  const starts: number[] = [];
  walkLines(text, 0, (at) => {
    starts.push(at);
    return true;
  });
  starts.push(text.length);
  return starts;
}

// The two halves of a surrogate pair stay together.
function splitAt(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at + 1 : at;
}
