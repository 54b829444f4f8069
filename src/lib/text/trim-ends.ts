// An expression such as `/\/+$/` begins anew at every slash of a long run, which takes quadratic time. These look once.

/** The text without the run of one character at its end. */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** The text without the runs of one character at its beginning and its end. */
export function trimBothOf(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start++;
  return trimEndOf(start === 0 ? text : text.slice(start), character);
}
