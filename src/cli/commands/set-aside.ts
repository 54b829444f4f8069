import type { z } from 'zod';
import { sentenceOf } from '../../domain/stored/read-stored.ts';
import type { setAsideRoutes } from '../../http/contract/set-aside.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, UsageError } from '../command.ts';
import { showDone, showList } from '../show.ts';

type Listing = z.output<(typeof setAsideRoutes.list)['reply']>;

/** Lists and deletes stored rows that cannot be read. */
export const setAside: Command = {
  summary: 'list stored rows that cannot be read, or delete one',
  usage: '[delete KIND ID]',
  needsStore: true,
  examples: ['handrail set-aside', 'handrail set-aside delete server srv_01J…'],
  run(input) {
    const [action, kind, id] = input.words;
    return withAdminClient(input, async (client) => {
      if (action === undefined) {
        const { items } = await client.request<Listing>('GET', '/set-aside');
        return showList(input, items, {
          empty: 'Every stored row can be read.',
          heading: ['KIND', 'ID', 'NAME', 'PROBLEM'],
          row: (row) => [row.kind, row.id, row.name, sentenceOf(row.problems)],
        });
      }
      if (action !== 'delete') throw new UsageError(`unknown action "${action}"`);
      if (kind === undefined || id === undefined) throw new UsageError('the kind or the id is missing');
      await client.request('DELETE', `/set-aside/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`);
      return showDone(input, `Deleted the ${kind} ${id}.`, { deleted: id });
    });
  },
};
