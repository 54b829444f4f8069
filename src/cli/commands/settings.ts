import { withAdminClient } from '../admin-client.ts';
import { type Command, UsageError } from '../command.ts';
import { fieldsSet, setOption } from '../noun-actions.ts';
import { showDone, showWhole } from '../show.ts';

/** Shows and changes the settings of the installation. */
export const settings: Command = {
  summary: 'show or change the settings of the installation',
  usage: '[show] | update --set FIELD=VALUE…',
  options: setOption,
  examples: [
    'handrail settings',
    'handrail settings update --set retentionDays=30 --set recordContents=false',
    `handrail settings update --set 'limits={"totalTimeoutMs":30000}'`,
  ],
  run(input) {
    const [action = 'show', extra] = input.words;
    if (extra !== undefined) throw new UsageError(`unexpected "${extra}"`);
    return withAdminClient(input, async (client) => {
      if (action === 'show') return showWhole(input, await client.request('GET', '/settings'));
      if (action !== 'update') throw new UsageError(`unknown action "${action}"; use "show" or "update"`);
      const fields = fieldsSet(input);
      const names = Object.keys(fields);
      if (names.length === 0) throw new UsageError('nothing to change: give --set FIELD=VALUE');
      return showDone(
        input,
        `${names.join(', ')}: saved`,
        await client.request('PATCH', '/settings', fields),
      );
    });
  },
};
