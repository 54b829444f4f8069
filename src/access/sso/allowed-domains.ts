import type { IdentityProvider, SignInFacts } from '../../domain/identity-provider.ts';

/** Whether the provider's domains allow this person. */
export function isDomainAllowed({ allowedDomains }: IdentityProvider, facts: SignInFacts): boolean {
  if (allowedDomains === undefined) return true;
  const [, domain] = /^[^@]+@([^@]+)$/.exec(facts.email?.toLowerCase() ?? '') ?? [];
  return facts.emailVerified && domain !== undefined && allowedDomains.includes(domain);
}
