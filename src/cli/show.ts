import { type CommandInput, exitCode } from './command.ts';

/** How a list is shown to people. */
export interface ListShape<T> {
  /** Printed when the list is empty, with what to do next. */
  readonly empty: string;
  readonly heading: readonly string[];
  readonly row: (item: T) => readonly string[];
  /** A line below the table. */
  readonly foot?: (items: readonly T[]) => string;
}

/** Prints a list, as a table or as JSON. */
export function showList<T>(
  input: CommandInput,
  items: readonly T[],
  { empty, heading, row, foot }: ListShape<T>,
): number {
  if (input.json) input.print(JSON.stringify(items));
  else if (items.length === 0) input.print(empty);
  else {
    for (const line of table(heading, items.map(row), input)) input.print(line);
    if (foot !== undefined) input.print(foot(items));
  }
  return exitCode.ok;
}

/** Prints an object in full. */
export function showWhole(input: CommandInput, thing: unknown): number {
  input.print(JSON.stringify(thing, null, input.json ? 0 : 2));
  return exitCode.ok;
}

/** Prints a sentence about what was done, or `result` as JSON. */
export function showDone(input: CommandInput, sentence: string, result: unknown = {}): number {
  input.print(input.json ? JSON.stringify(result) : sentence);
  return exitCode.ok;
}

/** Formats rows as aligned columns under a heading. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  {
    maxWidth = 60,
    color = false,
  }: { readonly maxWidth?: number | undefined; readonly color?: boolean | undefined } = {},
): string[] {
  const cell = (value: string): string => {
    // Names may come from strangers: no escape sequence of theirs reaches the terminal.
    const line = value.replace(/[\s\p{C}]+/gu, ' ').trim();
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
  return color ? lines.map((line, at) => (at === 0 ? paint('strong', line) : line)) : lines;
}

// Select Graphic Rendition (ECMA-48 section 8.3.117); the terminal chooses the actual colors.
const codes = { strong: '1', dim: '2', bad: '31', good: '32', warn: '33' } as const;

/** Wraps text in a terminal color. */
export function paint(tone: keyof typeof codes, text: string): string {
  return `\u001b[${codes[tone]}m${text}\u001b[0m`;
}
