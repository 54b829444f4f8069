import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Flavor, startRealProvider } from '../../support/servers/real-open-id-provider.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

let at: RunningGateway;
beforeAll(async () => {
  at = await startGateway({ egressAllow: '127.0.0.0/8' });
});
afterAll(() => at.stop());

const profile = ['name', 'preferred_username'];
const email = ['email', 'email_verified'];

interface Case extends Flavor {
  /** What the guide says to set. */
  readonly settings?: object;
  /** A value to map to a group, as the guide says it looks like; null if the vendor sends none. */
  readonly value: string | null;
  /** Whether an allow-list of domains lets this account in. */
  readonly isVerified: boolean;
}

const vendors: Readonly<Record<string, Case>> = {
  'Entra ID': {
    path: '/5c1e7f0e-0000-4000-8000-000000000000/v2.0',
    authMethod: 'client_secret_post',
    claims: { openid: ['oid', 'tid', 'groups'], profile, email: ['email'] },
    inIdToken: true,
    account: {
      oid: 'o1',
      tid: '5c1e7f0e-0000-4000-8000-000000000000',
      name: 'Ann Entra',
      preferred_username: 'ann@example.com',
      email: 'ann@example.com',
      groups: ['6f1c0000-0000-4000-8000-000000000001'],
    },
    value: '6f1c0000-0000-4000-8000-000000000001',
    isVerified: false,
  },
  'Entra ID with app roles': {
    path: '/5c1e7f0e-0000-4000-8000-000000000000/v2.0',
    authMethod: 'client_secret_post',
    claims: { openid: ['roles', '_claim_names'], profile },
    inIdToken: true,
    // With too many groups, Entra sends a pointer in the place of the list.
    account: { name: 'Ann Roles', roles: ['Operators'], _claim_names: { groups: 'src1' } },
    value: 'Operators',
    isVerified: false,
  },
  Okta: {
    path: '/oauth2/default',
    authMethod: 'client_secret_basic',
    claims: { openid: [], profile, email, groups: ['groups'] },
    inIdToken: false,
    account: {
      name: 'Ann Okta',
      email: 'ann@example.com',
      email_verified: true,
      groups: ['Everyone', 'Platform'],
    },
    settings: { scopes: ['openid', 'profile', 'email', 'groups'] },
    value: 'Platform',
    isVerified: true,
  },
  Keycloak: {
    path: '/realms/acme',
    authMethod: 'client_secret_basic',
    claims: { openid: ['realm_access', 'groups'], profile, email },
    inIdToken: true,
    account: {
      preferred_username: 'ann-keycloak',
      email: 'ann@example.com',
      email_verified: true,
      realm_access: { roles: ['offline_access', 'platform'] },
      groups: ['/platform'],
    },
    value: '/platform',
    isVerified: true,
  },
  'Keycloak with realm roles': {
    path: '/realms/acme',
    authMethod: 'client_secret_basic',
    claims: { openid: ['realm_access'], profile, email },
    inIdToken: true,
    account: { preferred_username: 'ann-roles', realm_access: { roles: ['platform-editors'] } },
    value: 'platform-editors',
    isVerified: false,
  },
  Google: {
    path: '',
    authMethod: 'client_secret_post',
    claims: { openid: ['hd'], profile, email },
    inIdToken: true,
    account: { name: 'Ann Google', hd: 'example.com', email: 'ann@example.com', email_verified: true },
    value: null,
    isVerified: true,
  },
  Auth0: {
    path: '/',
    authMethod: 'client_secret_post',
    claims: { openid: ['https://example.com/roles'], profile, email },
    inIdToken: true,
    subject: 'auth0|507f1f77bcf86cd799439020',
    account: {
      name: 'Ann Auth0',
      email: 'ann@example.com',
      email_verified: true,
      'https://example.com/roles': ['operators'],
    },
    settings: { groupsClaim: 'https://example.com/roles' },
    value: 'operators',
    isVerified: true,
  },
  Authentik: {
    path: '/application/o/handrail/',
    authMethod: 'client_secret_basic',
    claims: { openid: [], profile: [...profile, 'groups'], email },
    inIdToken: true,
    account: {
      name: 'Ann Authentik',
      email: 'ann@example.com',
      email_verified: false,
      groups: ['authentik Admins'],
    },
    value: 'authentik Admins',
    isVerified: false,
  },
  GitLab: {
    path: '',
    authMethod: 'client_secret_basic',
    claims: { openid: ['groups', 'groups_direct'], profile, email },
    inIdToken: false,
    account: {
      name: 'Ann GitLab',
      email: 'ann@example.com',
      email_verified: true,
      groups: ['acme/platform', 'acme'],
      groups_direct: ['acme/platform'],
    },
    value: 'acme/platform',
    isVerified: true,
  },
};

/** A browser that follows every redirect, with one jar of cookies for each host and path. */
async function signIn(start: string): Promise<{ status: number; text: string; session: string | undefined }> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let steps = 0; steps < 12; steps++) {
    const cookie = [...cookies.values()].join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const pair = line.split(';', 1)[0]!;
      const name = pair.slice(0, pair.indexOf('='));
      if (pair === `${name}=`) cookies.delete(name);
      else cookies.set(name, pair);
    }
    const location = answer.headers.get('location');
    if (location === null)
      return { status: answer.status, text: await answer.text(), session: cookies.get('handrail') };
    url = new URL(location, url);
  }
  throw new Error(`too many redirects, the last to ${url.href}`);
}

it.each(Object.entries(vendors))('signs in with a provider like %s', async (name, vendor) => {
  const slug = name.toLowerCase().replaceAll(' ', '-');
  const client = { id: 'gateway', secret: `a-secret-of-${slug}` };
  const provider = await startRealProvider(vendor, {
    ...client,
    redirectUri: `${at.url}/sso/${slug}/callback`,
  });
  try {
    const made = await at.admin('POST', '/identity-providers', {
      slug,
      name,
      issuer: provider.issuer,
      clientId: client.id,
      clientSecret: client.secret,
      ...vendor.settings,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const group = await at.admin('POST', '/groups', {
      name: `Mapped ${name}`,
      role: 'editor',
      ...(vendor.value !== null && { claims: [{ issuer: provider.issuer, value: vendor.value }] }),
    });
    expect(group.status, JSON.stringify(group.body)).toBe(201);
    const tested = await at.admin('POST', `/identity-providers/${slug}/test`, {});
    expect(tested.body.problem ?? null).toBeNull();
    const done = await signIn(`${at.url}/sso/${slug}/start`);
    expect([done.status, done.text.includes('url=/admin')]).toEqual([200, true]);
    const who = await fetch(`${at.url}/api/v1/session`, { headers: { cookie: done.session! } });
    const said = vendor.account['name'] ?? vendor.account['preferred_username'];
    expect(await who.json()).toMatchObject({ name: said, role: vendor.value === null ? 'none' : 'editor' });
    await at.admin('PATCH', `/identity-providers/${slug}`, { allowedDomains: ['example.com'] });
    const again = await signIn(`${at.url}/sso/${slug}/start`);
    expect([again.status, again.session !== undefined]).toEqual(
      vendor.isVerified ? [200, true] : [403, false],
    );
    if (vendor.isVerified) {
      await at.admin('PATCH', `/identity-providers/${slug}`, { allowedDomains: ['other.example'] });
      expect((await signIn(`${at.url}/sso/${slug}/start`)).status).toBe(403);
    }
  } finally {
    await provider.close();
  }
});
