/** Lines of text columns under a heading, for people. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  {
    maxWidth = 60,
    colour = false,
  }: { readonly maxWidth?: number | undefined; readonly colour?: boolean | undefined } = {},
): string[] {
  const cell = (value: string): string => {
    const line = value.replace(/\s+/g, ' ').trim();
    return line.length <= maxWidth ? line : `${line.slice(0, maxWidth - 1)}…`;
  };
  const all = [heading, ...rows].map((row) => row.map(cell));
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) =>
    row
      .map((value, column) => value.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  return colour ? lines.map((line, at) => (at === 0 ? paint('strong', line) : line)) : lines;
}

// Select Graphic Rendition (ECMA-48 section 8.3.117); the terminal chooses what they look like.
const codes = { strong: '1', dim: '2', bad: '31', good: '32', warn: '33' } as const;

/** A text in a colour of the terminal. */
export function paint(tone: keyof typeof codes, text: string): string {
  return `\u001b[${codes[tone]}m${text}\u001b[0m`;
}
