import type { z } from 'zod';
import { defaultServerSlug } from '../../domain/server.ts';
import type { checkResource, checkRunResource } from '../../http/contract/checks.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, text } from '../command.ts';
import { fieldsSet, runNounAction, setOption } from '../noun-actions.ts';
import { showDone, showList } from '../show.ts';

type CheckView = z.output<typeof checkResource>;
type RunView = z.output<typeof checkRunResource>;

/** Manages the checks of a server; `handrail check` runs them. */
export const checks: Command = {
  summary: 'list, create, edit or delete the checks of a server, and list their runs',
  usage:
    '[list] [--server SLUG] | runs SERVER | create NAME [--server SLUG] --set FIELD=VALUE… | show|delete CHECK-ID | update CHECK-ID --set FIELD=VALUE…',
  options: {
    server: { type: 'string', value: 'SLUG', about: 'The server whose checks; "default" if absent.' },
    ...setOption,
  },
  examples: [
    'handrail checks --server shop',
    `handrail checks create refunds --server shop --set 'question=Refund order 7' --set 'expect={"calls":[{"tool":"refund_order"}]}'`,
    'handrail checks runs shop',
    'handrail checks delete check_01J…',
  ],
  run(input) {
    const server = text(input, 'server') ?? defaultServerSlug;
    return withAdminClient(input, (client) =>
      runNounAction<CheckView>(input, client, {
        noun: 'the id of the check, the name of a new one, or the server',
        path: '/checks',
        shape: {
          empty: `The server "${server}" has no checks yet. "handrail checks create NAME" or a conversation in the playground saves one.`,
          heading: ['ID', 'NAME', 'QUESTION'],
          row: ({ id, name, question }) => [id, name, question],
        },
        async list() {
          const { items } = await client.request<{ items: CheckView[] }>(
            'GET',
            `/servers/${encodeURIComponent(server)}/checks`,
          );
          return items;
        },
        own: {
          async create(name) {
            const made = await client.request<CheckView>(
              'POST',
              `/servers/${encodeURIComponent(server)}/checks`,
              { name, ...fieldsSet(input) },
            );
            return showDone(input, `${made.name}: saved as ${made.id}`, made);
          },
          async runs(reference) {
            const { items } = await client.request<{ items: RunView[] }>(
              'GET',
              `/servers/${encodeURIComponent(reference)}/check-runs`,
            );
            return showList(input, items, {
              empty: `No checks of "${reference}" have run yet. "handrail check ${reference}" runs them.`,
              heading: ['ID', 'STARTED', 'MODEL', 'STATE', 'PASSED'],
              row: ({ id, startedAt, model, state, variants }) => [
                id,
                startedAt,
                model,
                state,
                variants.map(({ passed, total }) => `${passed} of ${total}`).join(', '),
              ],
            });
          },
        },
      }),
    );
  },
};
