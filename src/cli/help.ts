import { envName, flagName, isSwitch, type SettingName, settings } from '../config/settings.ts';
import { version } from '../version.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { keysOf } from '../lib/json/plain-object.ts';

/** `handrail --help`. */
export async function generalHelp(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => [name, (await load()).summary] as const),
  );
  return [
    `handrail ${version} – lets AI agents use any REST API`,
    '',
    'Usage: handrail [COMMAND] [OPTIONS]     (without a command: serve)',
    '',
    'Commands:',
    ...columns(rows),
    '',
    '"handrail COMMAND --help" shows a command’s options and examples.',
  ].join('\n');
}

/** `handrail COMMAND --help`. */
export function commandHelp(name: string, command: Command): string {
  const own = Object.entries(command.options ?? {}).map(
    ([option, spec]) =>
      [`--${option}${spec.type === 'string' ? ` ${spec.value ?? 'TEXT'}` : ''}`, spec.about] as const,
  );
  const shared = [
    ...(name === 'serve'
      ? []
      : [
          [
            '--url URL',
            'Talk to a running gateway instead of the data folder (needs HANDRAIL_ADMIN_TOKEN).',
          ] as const,
        ]),
    ['--json', 'Print JSON.'] as const,
    ['--config FILE', 'Read settings from a JSON file.'] as const,
  ];
  const shown = keysOf(settings).filter(
    (setting) => name === 'serve' || setting === 'dataDir' || setting === 'logLevel',
  );
  return [
    `handrail ${name} – ${command.summary}`,
    '',
    `Usage: handrail ${name} ${command.usage}`.trimEnd(),
    ...(own.length > 0 ? ['', 'Options:', ...columns(own)] : []),
    '',
    'Shared options:',
    ...columns(shared),
    '',
    'Settings (each also as an environment variable):',
    ...columns(
      shown.map(
        (setting) =>
          [
            settingFlag(setting),
            `${settings[setting].about} [${envName(setting)}, default ${settings[setting].fallback}]`,
          ] as const,
      ),
    ),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
  ].join('\n');
}

function settingFlag(setting: SettingName): string {
  return isSwitch(setting) ? `--[no-]${flagName(setting)}` : `--${flagName(setting)} VALUE`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(Math.max(...rows.map(([left]) => left.length)), 32);
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
