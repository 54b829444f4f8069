const maxRead = 1_000;

/** A name from outside as it can be shown: one line, without control, invisible or direction-changing characters. */
export function oneLine(text: string, maxLength: number): string {
  return (
    text
      .slice(0, maxRead)
      .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
      .trim()
      .slice(0, maxLength)
      // Half of a character.
      .replace(/[\ud800-\udbff]$/, '')
  );
}
