import { readFileSync } from 'node:fs';
import { configErrors } from '../domain/error-messages/config.ts';
import type { HandrailError, Problem } from '../domain/errors.ts';
import { SettingError } from './readers.ts';
import { type Config, envName, flagName, type SettingName, settings } from './settings.ts';
import { keysOf } from '../lib/json/plain-object.ts';

type SettingValues = Partial<Record<SettingName, unknown>>;

/** Where settings come from: flags beat the environment, which beats the file, which beats the defaults. */
export interface ConfigSources {
  readonly flags?: SettingValues;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Path of a JSON file with settings by name. */
  readonly file?: string;
}

/** Reads the configuration, or throws `config_invalid` listing every problem, its setting and what is accepted. */
export function loadConfig(sources: ConfigSources): Config {
  const names = keysOf(settings);
  const file = sources.file === undefined ? {} : readFile(sources.file);
  const config: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const name of names) {
    const [value, origin] = pick(name, sources, file);
    try {
      config[name] = settings[name].read(value);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      problems.push({ path: origin, message: error.message });
    }
  }
  if (problems.length > 0) throw invalidConfigError(problems);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting was read by its own reader above
  return config as Config;
}

function pick(name: SettingName, sources: ConfigSources, file: SettingValues): [unknown, string] {
  if (sources.flags?.[name] !== undefined) return [sources.flags[name], `--${flagName(name)}`];
  const fromEnv = sources.env?.[envName(name)];
  if (fromEnv !== undefined && fromEnv !== '') return [fromEnv, envName(name)];
  return [file[name], name];
}

function readFile(path: string): SettingValues {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : 'it cannot be read';
    throw configErrors.fileUnusable({ path, why });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw configErrors.fileNotAnObject({ path });
  }
  const unknown = Object.keys(content).filter((key) => !Object.hasOwn(settings, key));
  if (unknown.length > 0)
    throw invalidConfigError(unknown.map((key) => ({ path: key, message: 'is not a setting' })));
  return content;
}

function invalidConfigError(problems: readonly Problem[]): HandrailError {
  const lines = problems.map((problem) => `  ${problem.path}: ${problem.message}`).join('\n');
  return configErrors.settingsInvalid({ lines }, { problems });
}
