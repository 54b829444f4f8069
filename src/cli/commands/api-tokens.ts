import type { z } from 'zod';
import type { apiTokenResource, apiTokenRoutes } from '../../http/contract/api-tokens.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, text, texts, UsageError } from '../command.ts';
import { runNounAction } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type TokenView = z.output<typeof apiTokenResource>;
type NewTokenView = z.output<(typeof apiTokenRoutes.create)['reply']>;

/** Manages tokens of the admin API. */
export const apiTokens: Command = {
  summary: 'list, create, revoke or delete tokens for programs that use the admin API',
  usage:
    '[list] | show|revoke|delete TOKEN-ID | create NAME [--role ROLE] [--scope SCOPE]… [--expires-in DAYS]',
  options: {
    role: { type: 'string', value: 'ROLE', about: 'viewer (the default), editor or owner.' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      about: 'Only this, such as calls:read or servers:write; default everything its role allows.',
    },
    'expires-in': {
      type: 'string',
      value: 'DAYS',
      about: 'Days until it expires; 90 by default, 730 at most.',
    },
  },
  examples: [
    'handrail api-tokens create dashboard --scope calls:read',
    'handrail api-tokens create deploy --role editor --scope servers:write --scope imports:write --expires-in 30',
    'handrail api-tokens revoke token_01J…',
  ],
  run: (input) =>
    withAdminClient(input, (client) =>
      runNounAction<TokenView>(input, client, {
        noun: 'the token’s id',
        path: '/api-tokens',
        isEditable: false,
        shape: {
          empty: 'There are no API tokens. "handrail api-tokens create NAME" creates one.',
          heading: ['ID', 'NAME', 'ROLE', 'SCOPES', 'STATE', 'LAST USED'],
          row: ({ id, name, role, scopes, revokedAt, expiresAt, lastUsedAt }) => [
            id,
            name,
            role,
            scopes?.join(' ') ?? 'all',
            revokedAt === undefined ? `until ${expiresAt}` : 'revoked',
            lastUsedAt ?? 'never',
          ],
        },
        own: {
          async create(name) {
            const days = text(input, 'expires-in');
            const scopes = texts(input, 'scope');
            if (days !== undefined && !/^[1-9]\d{0,2}$/.test(days))
              throw new UsageError('--expires-in must be a number of days');
            const made = await client.request<NewTokenView>('POST', '/api-tokens', {
              name,
              role: text(input, 'role') ?? 'viewer',
              ...(scopes.length > 0 && { scopes }),
              ...(days !== undefined && { expiresInDays: Number(days) }),
            });
            // Only the token goes to stdout, so that scripts can capture it.
            if (input.json) input.print(JSON.stringify(made));
            else {
              input.print(made.token);
              input.printError(`This token is shown only once. It expires at ${made.expiresAt}.`);
            }
            return exitCode.ok;
          },
          async revoke(id) {
            await client.request('POST', `/api-tokens/${encodeURIComponent(id)}/revoke`);
            return showDone(input, `${id}: revoked`);
          },
        },
      }),
    ),
};
