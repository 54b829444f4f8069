import { envName, flagName, isSwitch, settings } from './settings.ts';
import { keysOf } from '../lib/json/plain-object.ts';

/** The configuration page of the reference, generated from the settings table. */
export function configReference(): string {
  const rows = keysOf(settings).map((name) => {
    const flag = isSwitch(name) ? `--[no-]${flagName(name)}` : `--${flagName(name)}`;
    return `| \`${name}\` | \`${flag}\` | \`${envName(name)}\` | ${settings[name].fallback} | ${settings[name].about} |`;
  });
  return [
    '# Configuration',
    '',
    'No setting is required. A flag beats the environment, which beats the file (`--config FILE` or `HANDRAIL_CONFIG`, JSON with the',
    'names below as keys), which beats the default. Unknown flags and unknown keys in the file are errors. `handrail doctor` prints the effective configuration.',
    '',
    '| setting | flag | environment | default | what it is for |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
