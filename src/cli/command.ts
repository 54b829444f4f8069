import type { Config } from '../config/settings.ts';

/** One option of a command, besides the settings every command takes. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** Shown after the name in help, such as `SLUG`. */
  readonly value?: string;
  readonly about: string;
}

/** What a command is run with. */
export interface CommandInput {
  /** Words that are not options. */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | string[] | undefined>>;
  readonly config: Config;
  readonly json: boolean;
  /** A server to talk to instead of the data folder. */
  readonly url: string | undefined;
  /** Whether what is printed may have colors: people read it, and have not said NO_COLOR. */
  readonly color?: boolean;
  /** Every command there is, for the one that tells shells of them. */
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
  /** Asks for what is stored, and is refused where nothing is, instead of making an empty store. */
  readonly needsStore?: boolean;
  /** Returns the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** Commands by name, loaded when they are run. */
export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

/** Exit codes; docs/reference/cli.md explains them. */
export const exitCode = { ok: 0, failed: 1, usage: 2, cannotStart: 3, unreachable: 4, waiting: 5 } as const;

/** What the command line was used wrongly; printed with a pointer to help. */
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

/** The only word of a command, or a usage error that names it. */
export function oneWord(input: CommandInput, what: string): string {
  const [word, ...more] = input.words;
  if (word === undefined) throw new UsageError(`${what} is missing`);
  if (more.length > 0) throw new UsageError(`unexpected "${more[0]}"`);
  return word;
}
