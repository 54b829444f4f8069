/** Where each item of a JSON list starts and ends in its text, so that it can be returned verbatim. */
export interface Records {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Finds the items of a text that is known to be a JSON list, or, with a depth of 1, of a stretch of one that
 * starts with an item and ends before another or with the list. Stops when `wants` has enough of them.
 */
export function recordsIn(
  text: string,
  depth: 0 | 1 = 0,
  wants: (found: number) => boolean = always,
): Records {
  const starts: number[] = [];
  const ends: number[] = [];
  let level: number = depth;
  let start = -1;
  for (let at = 0; at < text.length && wants(ends.length); at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      if (level === 1 && start < 0) start = at;
      at = endOfString(text, at);
    } else if (code === 0x5b || code === 0x7b) {
      if (level === 1 && start < 0) start = at;
      level++;
    } else if (code === 0x5d || code === 0x7d) {
      level--;
      if (level === 0) {
        if (start >= 0) close(at);
        break;
      }
    } else if (level === 1) {
      if (code === 0x2c) close(at);
      else if (start < 0 && code > 0x20) start = at;
    }
  }
  return { starts, ends };

  function close(at: number): void {
    starts.push(start);
    ends.push(trimmedEnd(text, at));
    start = -1;
  }
}

const always = (): boolean => true;

function endOfString(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

function trimmedEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && text.charCodeAt(at - 1) <= 0x20) at--;
  return at;
}
