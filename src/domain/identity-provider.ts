import { described, flag, type Infer, list, object, optional, text } from '../lib/schema/schema.ts';
import { baseUrlText } from './fields/addresses.ts';
import { rowFields } from './fields/row-fields.ts';
import { slugText } from './names.ts';
import { scopeText } from './server.ts';

const domainText = text({
  min: 1,
  max: 253,
  pattern: /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/,
  wants: 'must be a domain such as example.com, in lower case',
});

/** The fields of an identity provider that an owner sets. */
export const identityProviderFields = {
  slug: described(slugText, 'Part of the redirect URI.'),
  name: described(
    text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' }),
    'What the button on the sign-in page says.',
  ),
  issuer: described(baseUrlText, 'The issuer exactly as the provider names itself.'),
  clientId: described(text({ min: 1, max: 1_000 }), 'The client registered with the provider.'),
  scopes: optional(
    described(
      list(scopeText, { min: 1, max: 50 }),
      'The scopes to request; openid, profile and email by default.',
    ),
  ),
  groupsClaim: optional(
    described(
      text({ min: 1, max: 200 }),
      'A claim with groups or roles, in addition to groups, roles and realm_access.roles.',
    ),
  ),
  allowedDomains: optional(
    described(
      list(domainText, { min: 1, max: 100 }),
      'Only people with a verified email address in one of these domains may sign in; absent means everyone the provider knows.',
    ),
  ),
  enabled: flag(),
};

/** An OpenID Connect provider that people sign in with. */
export const identityProvider = object({
  ...rowFields,
  ...identityProviderFields,
  /** The client secret: an AES-256-GCM envelope, bound to this row and its issuer; absent for a public client. */
  sealed: optional(text({ min: 1, max: 100_000 })),
});

export type IdentityProvider = Infer<typeof identityProvider>;

/** How many there can be: each is a button on the sign-in page. */
export const maxIdentityProviders = 20;

/** What a provider said at a sign-in, and what it comes to. */
export interface SignInFacts {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** Values of groups and roles. */
  readonly values: readonly string[];
}
