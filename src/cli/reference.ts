import { commandHelp } from './help.ts';
import { commands } from './commands.ts';

/** The command line page of the reference, generated from the commands' help. */
export async function cliReference(): Promise<string> {
  const sections: string[] = [];
  for (const [name, load] of Object.entries(commands)) {
    sections.push(`## handrail ${name}`, '', '```', commandHelp(name, await load()), '```', '');
  }
  return [
    '# Command line',
    '',
    'Commands open the data folder, even while a gateway is using it, or talk to a running gateway with `--url` and `HANDRAIL_ADMIN_TOKEN`.',
    'Results go to stdout, everything else to stderr; `--json` prints JSON.',
    '',
    '| exit code | meaning |',
    '|---|---|',
    '| 0 | done |',
    '| 1 | the call or operation failed |',
    '| 2 | incorrect usage or invalid input |',
    '| 3 | cannot start: configuration, store or port |',
    '| 4 | no gateway responds at `--url` |',
    '| 5 | the call is waiting for a person or a slow API: run the same command again |',
    '',
    ...sections,
  ].join('\n');
}
