import { type CommandInput, exitCode } from './command.ts';
import { table } from './table.ts';

/** How a list is shown to people. */
interface ListShape<T> {
  /** Said when there is nothing, with what to do next. */
  readonly empty: string;
  readonly heading: readonly string[];
  readonly row: (item: T) => readonly string[];
}

/** Prints a list, as a table or as JSON. */
export function showList<T>(
  input: CommandInput,
  items: readonly T[],
  { empty, heading, row }: ListShape<T>,
): number {
  if (input.json) input.print(JSON.stringify(items));
  else if (items.length === 0) input.print(empty);
  else for (const line of table(heading, items.map(row), input)) input.print(line);
  return exitCode.ok;
}

/** Prints one thing whole. */
export function showWhole(input: CommandInput, thing: unknown): number {
  input.print(JSON.stringify(thing, null, input.json ? 0 : 2));
  return exitCode.ok;
}

/** Says that something was done; machines get `result`. */
export function showDone(input: CommandInput, sentence: string, result: unknown = {}): number {
  input.print(input.json ? JSON.stringify(result) : sentence);
  return exitCode.ok;
}
