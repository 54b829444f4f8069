import type { AuthScheme } from '../../../domain/auth-scheme.ts';
import type { ProposedCredential } from '../../../domain/description.ts';
import { isSecretName } from '../../../lib/secrets/mask-secrets.ts';

type Pairs = readonly (readonly [string, string])[];

/** A request's authentication, separated from the request itself. */
export interface SeparatedSecrets {
  readonly auth: AuthScheme;
  readonly credential: ProposedCredential | null;
  readonly headers: Pairs;
  readonly query: Pairs;
}

/** Removes everything that looks like a secret from a request's headers and query. */
export function separateSecrets(headers: Pairs, query: Pairs): SeparatedSecrets {
  const secretHeaders = headers.filter(([name]) => isSecretHeader(name));
  const plainHeaders = headers.filter(([name]) => !isSecretHeader(name));
  const secretQuery = query.find(([name, value]) => isSecretName(name) && value !== '');
  if (secretHeaders.length === 0 && secretQuery) {
    const [name, value] = secretQuery;
    return {
      auth: { kind: 'api-key', in: 'query', name },
      credential: { fields: { value } },
      headers: plainHeaders,
      query: query.filter((pair) => pair !== secretQuery),
    };
  }
  return { ...fromHeaders(secretHeaders), headers: plainHeaders, query };
}

function isSecretHeader(name: string): boolean {
  return /^(?:proxy-)?authorization$|^cookie$/i.test(name) || isSecretName(name);
}

function fromHeaders(headers: Pairs): { auth: AuthScheme; credential: ProposedCredential | null } {
  const byName = new Map(headers.map(([name, value]) => [name.toLowerCase(), { name, value }]));
  byName.delete('proxy-authorization');
  if (byName.size === 0) return { auth: { kind: 'none' }, credential: null };
  const only = byName.size === 1 ? [...byName.values()][0]! : null;
  if (only && only.name.toLowerCase() === 'authorization') return fromAuthorization(only.value);
  if (only && only.name.toLowerCase() !== 'cookie')
    return {
      auth: { kind: 'api-key', in: 'header', name: only.name },
      credential: { fields: { value: only.value } },
    };
  const names = [...byName.values()].map(({ name }) => name);
  return {
    auth: { kind: 'headers', names },
    credential: { fields: Object.fromEntries([...byName.values()].map(({ name, value }) => [name, value])) },
  };
}

function fromAuthorization(value: string): { auth: AuthScheme; credential: ProposedCredential | null } {
  const [, scheme = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(value) ?? [];
  if (/^bearer$/i.test(scheme)) return { auth: { kind: 'bearer' }, credential: { fields: { token: rest } } };
  if (/^basic$/i.test(scheme)) {
    const pair = Buffer.from(rest, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    if (colon >= 0)
      return {
        auth: { kind: 'basic' },
        credential: { fields: { username: pair.slice(0, colon), password: pair.slice(colon + 1) } },
      };
  }
  if (scheme !== '' && rest !== '' && !rest.includes('='))
    return {
      auth: { kind: 'api-key', in: 'header', name: 'Authorization', prefix: `${scheme} ` },
      credential: { fields: { value: rest } },
    };
  return {
    auth: { kind: 'api-key', in: 'header', name: 'Authorization' },
    credential: { fields: { value } },
  };
}
