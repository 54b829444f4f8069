/** Lines of text columns under a heading, for people. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  maxWidth = 60,
): string[] {
  const cell = (value: string): string => {
    const line = value.replace(/\s+/g, ' ').trim();
    return line.length <= maxWidth ? line : `${line.slice(0, maxWidth - 1)}…`;
  };
  const all = [heading, ...rows].map((row) => row.map(cell));
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((value, column) => value.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
