import type { z } from 'zod';
import type {
  identityProviderResource,
  identityProviderRoutes,
} from '../../http/contract/identity-providers.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, text } from '../command.ts';
import { fieldsSet, runNounAction, setOption } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type ProviderView = z.output<typeof identityProviderResource>;
type Test = z.output<(typeof identityProviderRoutes.test)['reply']>;

/** Manages identity providers. */
export const identityProviders: Command = {
  summary: 'list, add, edit, test or delete the identity providers that people sign in with',
  usage:
    '[list] | show|update|test|delete PROVIDER | create SLUG --issuer URL --client-id ID [--client-secret SECRET] [--name NAME] [--set FIELD=VALUE]…',
  options: {
    issuer: { type: 'string', value: 'URL', about: 'The issuer exactly as the provider names itself.' },
    'client-id': { type: 'string', value: 'ID', about: 'The client registered with the provider.' },
    'client-secret': {
      type: 'string',
      value: 'SECRET',
      about: 'Its secret; leave it out for a public client.',
    },
    name: { type: 'string', value: 'NAME', about: 'What the button on the sign-in page says.' },
    ...setOption,
  },
  examples: [
    'handrail identity-providers create okta --issuer https://example.okta.com --client-id 0oa… --client-secret …',
    'handrail identity-providers test okta',
    'handrail identity-providers update okta --set \'allowedDomains=["example.com"]\'',
  ],
  run: (input) =>
    withAdminClient(input, (client) =>
      runNounAction<ProviderView>(input, client, {
        noun: 'the identity provider',
        path: '/identity-providers',
        shape: {
          empty: 'There are no identity providers. "handrail identity-providers create SLUG" adds one.',
          heading: ['SLUG', 'NAME', 'ISSUER', 'STATE'],
          row: ({ slug, name, issuer, enabled }) => [slug, name, issuer, enabled ? 'enabled' : 'disabled'],
        },
        changes: () => options(input),
        own: {
          async create(slug) {
            const fields = { slug, name: slug, ...options(input), ...fieldsSet(input) };
            const made = await client.request<ProviderView>('POST', '/identity-providers', fields);
            return showDone(input, `${made.slug}: register the redirect URI ${made.redirectUri}`, made);
          },
          async test(slug) {
            const path = `/identity-providers/${encodeURIComponent(slug)}/test`;
            const result = await client.request<Test>('POST', path);
            if (input.json) input.print(JSON.stringify(result));
            else {
              input.print(`redirect URI   ${result.redirectUri}`);
              if (result.problem !== undefined) input.printError(result.problem);
              if (result.metadata) input.print(`authorization  ${result.metadata.authorizationEndpoint}`);
              if (result.trialUrl !== undefined) input.print(`trial sign-in  ${result.trialUrl}`);
            }
            return result.problem === undefined ? exitCode.ok : exitCode.failed;
          },
        },
      }),
    ),
};

function options(input: Parameters<Command['run']>[0]): object {
  const [issuer, clientId, clientSecret, name] = ['issuer', 'client-id', 'client-secret', 'name'].map(
    (option) => text(input, option),
  );
  return {
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(name !== undefined && { name }),
  };
}
