import type { z } from 'zod';
import type { meRoutes } from '../../http/contract/me.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, text, texts, UsageError } from '../command.ts';
import { runNounAction } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type KeyView = z.output<(typeof meRoutes.listKeys)['reply']>['items'][number];
type NewKeyView = z.output<(typeof meRoutes.createKey)['reply']>;

/** A person's own keys. */
export const myKeys: Command = {
  summary: 'list, create or revoke your own keys, after "handrail login"',
  usage: '[list] | create NAME [--server SLUG]… [--expires-in DAYS] | revoke KEY-ID',
  options: {
    server: {
      type: 'string',
      multiple: true,
      value: 'SLUG',
      about: 'Only this server; default every server that you can use.',
    },
    'expires-in': {
      type: 'string',
      value: 'DAYS',
      about: 'Days until it expires; 90 by default, 365 at most.',
    },
  },
  examples: [
    'handrail my-keys --url https://gw.example.com',
    'handrail my-keys create laptop --server team --url https://gw.example.com',
  ],
  run: (input) =>
    withAdminClient(input, (client) =>
      runNounAction<KeyView>(input, client, {
        noun: 'the name or id of the key',
        path: '/me/keys',
        isEditable: false,
        list: async () =>
          (await client.request<z.output<(typeof meRoutes.listKeys)['reply']>>('GET', '/me/keys')).items,
        shape: {
          empty: 'You have no keys. "handrail my-keys create NAME" creates one.',
          heading: ['ID', 'NAME', 'KEY', 'SERVERS', 'UNTIL', 'LAST USED'],
          row: ({ id, name, hint, servers, expiresAt, lastUsedAt }) => [
            id,
            name,
            `${hint}…`,
            servers?.join(' ') ?? 'all',
            expiresAt,
            lastUsedAt ?? 'never',
          ],
        },
        own: {
          async create(name) {
            const days = text(input, 'expires-in');
            const servers = texts(input, 'server');
            if (days !== undefined && !/^[1-9]\d{0,2}$/.test(days))
              throw new UsageError('--expires-in must be a number of days');
            const made = await client.request<NewKeyView>('POST', '/me/keys', {
              name,
              ...(servers.length > 0 && { servers }),
              ...(days !== undefined && { expiresInDays: Number(days) }),
            });
            // Only the key goes to stdout, so that scripts can capture it.
            if (input.json) input.print(JSON.stringify(made));
            else {
              input.print(made.key);
              input.printError(`This key is shown only once. It expires at ${made.expiresAt}.`);
            }
            return exitCode.ok;
          },
          async revoke(id) {
            await client.request('DELETE', `/me/keys/${encodeURIComponent(id)}`);
            return showDone(input, `${id}: revoked`);
          },
        },
      }),
    ),
};
