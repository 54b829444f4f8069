import type { Row } from '../row.ts';

const looseNames = (name: string): string[] => [
  name,
  name.toUpperCase(),
  `${name}[]`,
  `${name}[0]`,
  `${name}[a][b]`,
  ` ${name}`,
  `${name} `,
  `\t${name}`,
  name.replace('_', '.'),
  name.replace('_', '-'),
  name.replace('_', '['),
  name.replace('k', '\u212a'),
];

const refused = (what: string, args: object): Row => ({
  what,
  way: { by: 'call', tool: 'guarded', arguments: args },
  expected: 'refused',
});

/** Arguments that want to stand beside or over what the operator of the tool `guarded` set. */
export const operatorValues: readonly Row[] = [
  ...looseNames('api_key').map((name) =>
    refused(`the credential as ${JSON.stringify(name)} within a query object`, {
      filter: { [name]: 'mine' },
    }),
  ),
  ...looseNames('user_kind').map((name) =>
    refused(`a fixed field as ${JSON.stringify(name)}`, { [name]: 'admin' }),
  ),
  ...['_method', '_METHOD', '_method[]'].flatMap((name) => [
    refused(`another method, in the query, as ${name}`, { filter: { [name]: 'DELETE' } }),
    refused(`another method, in the body, as ${name}`, { [name]: 'DELETE' }),
  ]),
  ...['tenant', 'forwardedFor', 'override', 'cookieHeader', 'authorization', 'realIp'].map((name) =>
    refused(`the header of the input ${name}`, { [name]: 'mine' }),
  ),
  refused('the cookie that is the session', { prefs: { session: 'mine' } }),
  refused('a whole query with the credential in it', { raw: 'api%5fkey=mine' }),
];
