import { parseArgs } from 'node:util';
import { loadConfig } from '../config/load-config.ts';
import { flagName, isSwitch, type SettingName, settings } from '../config/settings.ts';
import { HandrailError } from '../domain/errors.ts';
import { version } from '../version.ts';
import { type Command, type CommandInput, exitCode, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { commandHelp, generalHelp } from './help.ts';
import { keysOf } from '../lib/keys-of.ts';

const settingNames = keysOf(settings);

/** Runs one command line and returns its exit code. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
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
  const wanted = name === 'help' ? rest[0]! : name;
  const load = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined;
  if (load === undefined) {
    printError(`handrail: there is no command "${wanted}". "handrail --help" lists them.`);
    return exitCode.usage;
  }
  const command = await load();
  if (name === 'help' || rest.includes('--help') || rest.includes('-h')) {
    print(commandHelp(wanted, command));
    return exitCode.ok;
  }
  let wantsJson = rest.includes('--json');
  try {
    const input = readInput(command, rest, env, print, printError);
    wantsJson = input.json;
    return await command.run(input);
  } catch (error) {
    return report(wanted, error, wantsJson, print, printError);
  }
}

/** Reads what a command was called with; throws a `UsageError` for what it does not take. */
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
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
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
    print,
    printError,
  };
}

function report(
  name: string,
  error: unknown,
  json: boolean,
  print: (line: string) => void,
  printError: (line: string) => void,
): number {
  if (error instanceof UsageError) {
    printError(`handrail ${name}: ${error.message}. "handrail ${name} --help" shows how it is used.`);
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
