import type { AuthScheme, SimpleScheme } from '../../domain/auth-scheme.ts';
import type { SecurityAlternative } from '../../domain/operation.ts';
import { type FoundCredential, plainName } from './find-credentials.ts';
import { schemeOf, type SchemeTable } from './read-security.ts';

/** The proposed authentication of an API. `names` are the underlying schemes of the document. */
export interface AuthProposal {
  readonly auth: AuthScheme;
  readonly names: readonly string[];
}

// The effort to set up a scheme, if it differs from the usual.
const efforts: Partial<Readonly<Record<AuthScheme['kind'], number>>> = {
  'api-key': 0,
  bearer: 0,
  oauth2: 2,
  all: 3,
  'mutual-tls': 4,
  none: 9,
};

function effortOf({ kind }: AuthScheme): number {
  return efforts[kind] ?? 1;
}

// A scheme accepted by nearly as many operations is as good, and then the easier one wins.
const nearlyAll = 0.9;

/** The declared scheme accepted by the most operations; among equally good ones, the easiest to set up. */
export function proposeDeclared(
  requirements: readonly (readonly SecurityAlternative[])[],
  table: SchemeTable,
): AuthProposal {
  const votes = new Map<string, { count: number; auth: AuthScheme; names: string[] }>();
  for (const alternatives of requirements) {
    for (const alternative of alternatives) {
      const auth = schemeOf(alternative, table);
      if (!auth || auth.kind === 'none') continue;
      const names = Object.keys(alternative).toSorted();
      const key = JSON.stringify(names);
      const vote = votes.get(key);
      if (vote) vote.count++;
      else votes.set(key, { count: 1, auth, names });
    }
  }
  const maxCount = Math.max(0, ...[...votes.values()].map(({ count }) => count));
  const best = [...votes.values()]
    .filter(({ count }) => count >= maxCount * nearlyAll)
    .toSorted(
      (a, b) =>
        effortOf(a.auth) - effortOf(b.auth) || b.count - a.count || exposure(a.auth) - exposure(b.auth),
    )[0];
  return best ? { auth: best.auth, names: best.names } : { auth: { kind: 'none' }, names: [] };
}

// URLs are logged along the way; headers are not.
function exposure(scheme: AuthScheme): number {
  return scheme.kind === 'api-key' && scheme.in === 'query' ? 1 : 0;
}

/** The easiest of the schemes that a document declares but does not require. */
export function proposeUnused(table: SchemeTable): AuthProposal {
  const schemes = [...table].toSorted(
    ([, a], [, b]) => effortOf(a) - effortOf(b) || exposure(a) - exposure(b),
  );
  const keys = schemes.map(([, scheme]) => (scheme.kind === 'api-key' ? plainName(scheme.name) : null));
  // Keys with different names belong together (an id and a secret); they are not alternatives.
  if (keys.length > 1 && !keys.includes(null) && new Set(keys).size === keys.length)
    return {
      auth: { kind: 'all', schemes: schemes.map(([, scheme]) => scheme) },
      names: schemes.map(([name]) => name),
    };
  const best = schemes[0];
  return best ? { auth: best[1], names: [best[0]] } : { auth: { kind: 'none' }, names: [] };
}

/** What happens to each credential that operations have as a parameter. */
export interface ParameterCredentials {
  readonly auth: AuthScheme;
  /** Part of `auth`. */
  readonly used: ReadonlySet<FoundCredential>;
  /** Equivalent to `auth`: removed. */
  readonly replaced: ReadonlySet<FoundCredential>;
}

// A credential in fewer operations is not how the API authenticates.
const minShare = { withDeclared: 0.3, alone: 0.1 };

/** Combines the declared schemes with the credentials found in parameters. */
export function combineAuth(
  declared: AuthScheme,
  found: readonly FoundCredential[],
  total: number,
): ParameterCredentials {
  const minOperations = total * (declared.kind === 'none' ? minShare.alone : minShare.withDeclared);
  const weighty = found.filter(
    ({ operations }) => operations.size === total || operations.size >= minOperations,
  );
  const others = weighty.filter((credential) => !says(declared, credential));
  const demanded = others.filter(({ required, operations }) => required * 2 > operations.size);
  const wanted = together(demanded.length > 0 || declared.kind !== 'none' ? demanded : bestOf(others));
  // A companion is useless without a secret.
  const chosen = new Set(wanted.some(({ isCompanion }) => !isCompanion) ? wanted : []);
  const replaced = found.filter(
    (credential) => !chosen.has(credential) && (weighty.includes(credential) || says(declared, credential)),
  );
  return { auth: combine(declared, [...chosen]), used: chosen, replaced: new Set(replaced) };
}

/** Whether a scheme already sends or produces the credential. */
function says(scheme: AuthScheme, credential: FoundCredential): boolean {
  switch (scheme.kind) {
    case 'all':
      return scheme.schemes.some((inner) => says(inner, credential));
    case 'api-key':
      return (
        plainName(scheme.name) === plainName(credential.key) ||
        (isToken(scheme.name) && isToken(credential.key))
      );
    case 'headers':
      return scheme.names.some((name) => plainName(name) === plainName(credential.key));
    case 'bearer':
    case 'oauth2':
    case 'login':
      return isToken(credential.key) || credential.key.toLowerCase() === 'key' || credential.isCompanion;
    case 'basic':
      return true;
    case 'aws-sigv4':
    case 'hmac':
    case 'mutual-tls':
      return /signature|credential|token|authori[sz]ation/i.test(credential.key);
    default:
      return false;
  }
}

function isToken(name: string): boolean {
  return /token|bearer|jwt|authori[sz]ation|^auth/i.test(name);
}

// The largest group of credentials in the same operations.
function together(credentials: readonly FoundCredential[]): FoundCredential[] {
  const [first, ...rest] = credentials.toSorted((a, b) => b.operations.size - a.operations.size);
  if (!first) return [];
  return [
    first,
    ...rest.filter(({ operations }) => {
      const shared = [...operations].filter((index) => first.operations.has(index)).length;
      return shared >= operations.size * 0.8;
    }),
  ];
}

const placeRank = ['header', 'query', 'cookie', 'body'];

// None is required, so they are alternatives: choose one secret and its companion.
function bestOf(credentials: readonly FoundCredential[]): FoundCredential[] {
  const secret = credentials
    .filter(({ isCompanion }) => !isCompanion)
    .toSorted(
      (a, b) => b.operations.size - a.operations.size || placeRank.indexOf(a.in) - placeRank.indexOf(b.in),
    )[0];
  if (!secret) return [];
  return [secret, ...credentials.filter((each) => each.isCompanion && each.in === secret.in)];
}

function combine(declared: AuthScheme, chosen: readonly FoundCredential[]): AuthScheme {
  const sorted = chosen.toSorted((a, b) => Number(b.isCompanion) - Number(a.isCompanion));
  const own: SimpleScheme[] =
    sorted.length > 1 && sorted.every(({ scheme }) => scheme.kind === 'api-key' && scheme.in === 'header')
      ? [{ kind: 'headers', names: sorted.map(({ key }) => key) }]
      : sorted.map(({ scheme }) => scheme);
  const schemes = [
    ...(declared.kind === 'all' ? declared.schemes : declared.kind === 'none' ? [] : [declared]),
    ...own,
  ];
  if (schemes.length === 0) return { kind: 'none' };
  return schemes.length === 1 ? schemes[0]! : { kind: 'all', schemes };
}
