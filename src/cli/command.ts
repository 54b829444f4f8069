import type { Config } from '../config/settings.ts';

/** One option of a command, in addition to the settings that every command accepts. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** Shown after the name in help, such as `SLUG`. */
  readonly value?: string;
  readonly about: string;
}

/** The parsed input of a command. */
export interface CommandInput {
  /** Positional arguments. */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | string[] | undefined>>;
  readonly config: Config;
  readonly json: boolean;
  /** A server to talk to instead of the data folder. */
  readonly url: string | undefined;
  /** Whether output may have colors: it goes to a terminal, and NO_COLOR isn't set. */
  readonly color?: boolean;
  /** All commands, for shell completion. */
  readonly commands?: CommandTable;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/** One command of the command line. */
export interface Command {
  readonly summary: string;
  /** What follows `handrail NAME`. */
  readonly usage: string;
  readonly options?: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly string[];
  /** Fails if there is no store yet, instead of creating an empty one. */
  readonly needsStore?: boolean;
  /** Returns the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** Commands by name, loaded when they are run. */
export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

/** Exit codes; docs/reference/cli.md explains them. */
export const exitCode = { ok: 0, failed: 1, usage: 2, cannotStart: 3, unreachable: 4, waiting: 5 } as const;

/** The command line was used incorrectly; printed with a pointer to the help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A string option, or undefined. */
export function text(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** A repeatable string option. */
export function texts(input: CommandInput, name: string): string[] {
  const value = input.options[name];
  return Array.isArray(value) ? value : [];
}

/** The only positional argument, or a usage error that names it. */
export function oneWord(input: CommandInput, what: string): string {
  const [word, ...more] = input.words;
  if (word === undefined) throw new UsageError(`${what} is missing`);
  if (more.length > 0) throw new UsageError(`unexpected "${more[0]}"`);
  return word;
}
