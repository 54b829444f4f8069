import { parseArgs } from 'node:util';
import { loadConfig } from '../config/load-config.ts';
import { flagName, isSwitch, type SettingName, settings } from '../config/settings.ts';
import { cliErrors } from '../domain/error-messages/cli.ts';
import { HandrailError } from '../domain/errors.ts';
import { version } from '../version.ts';
import { type Command, type CommandInput, exitCode, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { commandHelp, generalHelp } from './help.ts';
import { isDocument } from './document-word.ts';
import { keysOf } from '../lib/json/plain-object.ts';
import { isEmbedded } from '../config/store-location.ts';
import { nearestNames, suggestion } from '../lib/text/nearest-names.ts';
import { hasStore } from '../storage/sqlite/peek-server.ts';

const settingNames = keysOf(settings);

/** Runs one command line and returns its exit code. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  dropOutputNoOneReads();
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const printError = (line: string) => void process.stderr.write(`${line}\n`);
  const [name = 'serve', ...rest] =
    argv[0]?.startsWith('-') && !['--help', '-h', '--version', '-v'].includes(argv[0])
      ? ['serve', ...argv]
      : argv;
  if (name === '--version' || name === '-v' || name === 'version') {
    print(version);
    return exitCode.ok;
  }
  if (name === '--help' || name === '-h' || (name === 'help' && rest[0] === undefined)) {
    print(await generalHelp());
    return exitCode.ok;
  }
  const word = name === 'help' ? rest[0]! : name;
  const isCommand = Object.hasOwn(commands, word);
  if (!isCommand && (name === 'help' || !isDocument(word))) {
    const hint = suggestion(word, Object.keys(commands));
    printError(
      `handrail: unknown command "${word}", and it is neither a file nor a URL.${hint} "handrail --help" lists all commands.`,
    );
    return exitCode.usage;
  }
  const wanted = isCommand ? word : 'open';
  if (!isCommand) rest.unshift(word);
  const load = commands[wanted]!;
  const command = await load();
  if (name === 'help' || rest.includes('--help') || rest.includes('-h')) {
    print(commandHelp(wanted, command));
    return exitCode.ok;
  }
  let wantsJson = rest.includes('--json');
  try {
    const input = readInput(command, rest, env, print, printError);
    wantsJson = input.json;
    if (command.needsStore) requireStore(input);
    return await command.run(input);
  } catch (error) {
    return report(wanted, error, wantsJson, print, printError);
  }
}

/** A reader such as `head` may close the pipe early: the command finishes, and the rest of its output is dropped. */
function dropOutputNoOneReads(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/** Parses the input of a command; throws a `UsageError` for options it doesn't have. */
export function readInput(
  command: Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  print: CommandInput['print'],
  printError: CommandInput['printError'],
): CommandInput {
  const options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] = {
    json: { type: 'boolean' },
    url: { type: 'string' },
    config: { type: 'string' },
  };
  for (const name of settingNames) options[flagName(name)] = { type: isSwitch(name) ? 'boolean' : 'string' };
  for (const [name, { type, multiple }] of Object.entries(command.options ?? {}))
    options[name] = { type, ...(multiple && { multiple }) };
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      allowNegative: true,
      strict: true,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error);
    throw new UsageError(`${message}${suggestOption(message, Object.keys(options))}`);
  }
  const values = Object.fromEntries(
    Object.entries(parsed.values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : value,
    ]),
  );
  const flags: Partial<Record<SettingName, unknown>> = {};
  const own = new Set(Object.keys(command.options ?? {}));
  for (const name of settingNames) {
    const value = values[flagName(name)];
    if (value !== undefined && !own.has(flagName(name))) flags[name] = value;
  }
  const file = typeof values['config'] === 'string' ? values['config'] : env['HANDRAIL_CONFIG'];
  return {
    words: parsed.positionals,
    options: values,
    config: loadConfig({ flags, env, ...(file !== undefined && { file }) }),
    json: values['json'] === true,
    url: typeof values['url'] === 'string' ? values['url'] : undefined,
    color: canColor(env),
    commands,
    print,
    printError,
  };
}

/** ` (did you mean --port?)` after an unknown option. */
function suggestOption(message: string, names: readonly string[]): string {
  const wrong = /^Unknown option '--([^']{1,60})'/.exec(message)?.[1];
  const [nearest] = wrong === undefined ? [] : nearestNames(wrong, names, 1);
  return nearest === undefined ? '' : ` (did you mean --${nearest}?)`;
}

/** Colors are only used at a terminal (https://no-color.org). */
function canColor(env: NodeJS.ProcessEnv): boolean {
  return process.stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

function requireStore({ url, config }: CommandInput): void {
  if (url !== undefined || !isEmbedded(config) || hasStore(config.dataDir)) return;
  throw cliErrors.noStore({ dataDir: config.dataDir });
}

function report(
  name: string,
  error: unknown,
  json: boolean,
  print: (line: string) => void,
  printError: (line: string) => void,
): number {
  if (error instanceof UsageError) {
    printError(`handrail ${name}: ${error.message}. "handrail ${name} --help" shows its usage.`);
    return exitCode.usage;
  }
  if (!(error instanceof HandrailError)) throw error;
  if (json) print(JSON.stringify({ error: { code: error.code, message: error.message, ...error.details } }));
  else printError(`handrail: ${error.message}`);
  return exitCodeOf(error);
}

function exitCodeOf(error: HandrailError): number {
  switch (error.code) {
    case 'config_invalid':
    case 'store_unreadable':
    case 'store_newer':
      return exitCode.cannotStart;
    case 'unavailable':
      return exitCode.unreachable;
    case 'invalid_input':
    case 'invalid_request':
    case 'import_unreadable':
      return exitCode.usage;
    default:
      return exitCode.failed;
  }
}
