import type { z } from 'zod';
import type { accountResource, connectedPersonResource } from '../../http/contract/accounts.ts';
import { listAll, withAdminClient } from '../admin-client.ts';
import { type Command, UsageError } from '../command.ts';
import { runNounAction } from '../noun-actions.ts';
import { showDone, showList } from '../show.ts';
import { readSecret } from './credentials.ts';

type AccountView = z.output<typeof accountResource>;
type PersonView = z.output<typeof connectedPersonResource>;

/** A person's own accounts at APIs; for owners also who connected one. */
export const accounts: Command = {
  summary: 'connect your own accounts at APIs, or list who connected one',
  usage: '[list] | show|connect|disconnect API | people API | disconnect API PERSON-ID',
  options: {
    field: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about: 'With connect: a value of your account. Without any, the only one is read from standard input.',
    },
  },
  examples: [
    'handrail accounts',
    'printf %s "$TOKEN" | handrail accounts connect notes',
    'handrail accounts people notes',
  ],
  run: (input) =>
    withAdminClient(input, (client) =>
      runNounAction<AccountView>(input, client, {
        noun: 'the API',
        path: '/accounts',
        isEditable: false,
        list: async () => (await client.request<{ items: AccountView[] }>('GET', '/accounts')).items,
        shape: {
          empty:
            'No API asks for an account of yours. An operator turns it on with "handrail apis update API --set ownAccounts=true".',
          heading: ['API', 'NAME', 'ACCOUNT', 'CONNECTED BY', 'SINCE'],
          row: ({ api, name, status, how, updatedAt }) => [
            api,
            name,
            status === 'none' ? 'not connected' : status,
            how === 'browser' ? 'signing in, in the browser' : 'entering its secret',
            updatedAt ?? '',
          ],
        },
        own: {
          async connect(api) {
            const place = `/accounts/${encodeURIComponent(api)}`;
            const { how, fields } = await client.request<AccountView>('GET', place);
            if (how === 'browser')
              throw new UsageError(
                `an account at ${api} is connected in the browser: open /admin/me of the gateway`,
              );
            const given = await readSecret(input);
            const entered = 'fields' in given ? given.fields : { [soleOf(fields)]: given.secret };
            await client.request('PUT', place, { fields: entered });
            return showDone(input, `${api}: your account is connected`);
          },
          async disconnect(api) {
            const person = input.words[2];
            const place =
              person === undefined
                ? `/accounts/${encodeURIComponent(api)}`
                : `/apis/${encodeURIComponent(api)}/accounts/${encodeURIComponent(person)}`;
            await client.request('DELETE', place);
            return showDone(input, `${api}: disconnected`);
          },
          async people(api) {
            const all = await listAll<PersonView>(client, `/apis/${encodeURIComponent(api)}/accounts`);
            return showList(input, all, {
              empty: `No one has connected an account at ${api} yet.`,
              heading: ['PERSON', 'NAME', 'ACCOUNT', 'SINCE'],
              row: ({ person, status, updatedAt }) => [person.id, person.name, status, updatedAt],
            });
          },
        },
      }),
    ),
};

function soleOf(fields: readonly string[]): string {
  const [field, ...more] = fields;
  if (field === undefined || more.length > 0)
    throw new UsageError(`give each value with --field: ${fields.join(', ')}`);
  return field;
}
