import type { AuthScheme, SimpleScheme } from '../../domain/auth-scheme.ts';
import type { SecurityAlternative } from '../../domain/operation.ts';
import {
  arrayOr,
  isObject,
  objectOr,
  textOr,
  type PlainObject,
  wordOf,
} from '../../lib/json/plain-object.ts';
import { below, type Located } from '../bundle.ts';
import type { Notes } from '../notes.ts';
import type { Reading } from '../reading.ts';

/** The document's usable security schemes, by name. */
export type SchemeTable = ReadonlyMap<string, SimpleScheme>;

/** Reads every security scheme; adds a note for one that cannot be used. */
export function readSchemes(reading: Reading, notes: Notes): SchemeTable {
  const place = reading.version === '2.0' ? ['securityDefinitions'] : ['components', 'securitySchemes'];
  let declared: unknown = reading.root.value;
  for (const key of place) declared = objectOr(declared)[key];
  const table = new Map<string, SimpleScheme>();
  for (const [name, value] of Object.entries(objectOr(declared))) {
    const at = below(reading.root.at, ...place, name);
    const target = reading.resolver.follow({ value, at });
    const scheme =
      'unresolved' in target || !isObject(target.value)
        ? null
        : readScheme(reading, { value: target.value, at: target.at }, notes);
    if (scheme) table.set(name, scheme);
    else
      notes.add(
        'security_scheme_unknown',
        `The security scheme "${name}" cannot be used; set the API's authentication manually.`,
        at,
      );
  }
  return table;
}

function readScheme(
  reading: Reading,
  { value, at }: Located<PlainObject>,
  notes: Notes,
): SimpleScheme | null {
  const type = wordOf(value['type'] ?? '').toLowerCase();
  switch (type) {
    case 'basic':
      return { kind: 'basic' };
    case 'apikey': {
      const place = value['in'];
      const name = textOr(value['name']);
      if (/^aws/i.test(textOr(value['x-amazon-apigateway-authtype']) ?? '')) return awsScheme(reading);
      if (!name || (place !== 'header' && place !== 'query' && place !== 'cookie')) return null;
      const prefix = place === 'header' && /^authori[sz]ation$/i.test(name) ? prefixIn(value) : null;
      if (prefix?.toLowerCase() === 'bearer') return { kind: 'bearer' };
      return { kind: 'api-key', in: place, name, ...(prefix !== null && { prefix: `${prefix} ` }) };
    }
    case 'http': {
      const scheme = textOr(value['scheme'])?.toLowerCase();
      if (scheme === 'basic') return { kind: 'basic' };
      if (scheme === 'bearer') return { kind: 'bearer' };
      if (!scheme || scheme === 'digest' || scheme === 'negotiate' || scheme === 'mutual') return null;
      return { kind: 'api-key', in: 'header', name: 'Authorization', prefix: `${textOr(value['scheme'])!} ` };
    }
    case 'oauth2':
      return oauthScheme(reading, value, at, notes);
    case 'openidconnect': {
      const url = textOr(value['openIdConnectUrl']);
      return url
        ? {
            kind: 'oauth2',
            grant: 'authorization_code',
            issuer: url.replace(/\/\.well-known\/openid-configuration$/, ''),
          }
        : null;
    }
    case 'mutualtls':
      return { kind: 'mutual-tls' };
    default:
      return null;
  }
}

// A key in the Authorization header often follows a prefix, which documents can only mention in the description:
// `Authorization: Token xxx`, "must be prepended with "token" followed by a space".
const spacedPrefix = /["'`]([A-Za-z]{3,20})["'`]? (?:followed by|and) a space/i;
const shownPrefix = /\b(bearer|token|apikey) ["'`<{[(]?(?:your|token|key|jwt|api|access|xxx)/i;

function prefixIn(value: PlainObject): string | null {
  const said = textOr(value['description']) ?? '';
  return spacedPrefix.exec(said)?.[1] ?? shownPrefix.exec(said)?.[1] ?? null;
}

function oauthScheme(reading: Reading, value: PlainObject, at: Located['at'], notes: Notes): SimpleScheme {
  const flows =
    reading.version === '2.0'
      ? { [swaggerFlows[String(value['flow'])] ?? 'unknown']: value }
      : objectOr(value['flows']);
  const issuer = textOr(value['oauth2MetadataUrl'])?.replace(/\/\.well-known\/[a-z-]+$/, '');
  const machine = objectOr(flows['clientCredentials']);
  const code = objectOr(flows['authorizationCode']);
  const base = (flow: PlainObject) => ({
    ...(issuer && { issuer }),
    ...(absoluteUrl(reading, flow['tokenUrl']) && { tokenUrl: absoluteUrl(reading, flow['tokenUrl'])! }),
    ...(Object.keys(objectOr(flow['scopes'])).length > 0 && {
      scopes: Object.keys(objectOr(flow['scopes'])).slice(0, 100),
    }),
  });
  // Without a token URL, no token can be obtained.
  const answers = (flow: PlainObject): boolean =>
    issuer !== undefined || absoluteUrl(reading, flow['tokenUrl']) !== null;
  if (answers(machine)) return { kind: 'oauth2', grant: 'client_credentials', ...base(machine) };
  if (answers(code)) {
    const authorizationUrl = absoluteUrl(reading, code['authorizationUrl']);
    return {
      kind: 'oauth2',
      grant: 'authorization_code',
      ...base(code),
      ...(authorizationUrl && { authorizationUrl }),
    };
  }
  notes.add(
    'oauth_flow_unusable',
    'This OAuth flow needs a browser or a password of the user; store a token that you obtained yourself.',
    at,
  );
  return { kind: 'bearer' };
}

const swaggerFlows: Readonly<Record<string, string>> = {
  application: 'clientCredentials',
  accessCode: 'authorizationCode',
  implicit: 'implicit',
  password: 'password',
};

function absoluteUrl(reading: Reading, value: unknown): string | null {
  const text = textOr(value);
  if (!text) return null;
  try {
    return new URL(text, reading.documentUrl).href;
  } catch {
    return null;
  }
}

// AWS documents name the service and region only in their server variables.
function awsScheme(reading: Reading): SimpleScheme {
  const server = objectOr(arrayOr(reading.root.value['servers'])[0]);
  const region = textOr(objectOr(objectOr(server['variables'])['region'])['default']) ?? 'us-east-1';
  const host = /^(?:https?:)?\/\/([a-z0-9-]+)\./i.exec(textOr(server['url']) ?? '')?.[1];
  const service = textOr(objectOr(reading.root.value['info'])['x-serviceName']) ?? host ?? 'execute-api';
  return { kind: 'aws-sigv4', region, service };
}

/** The alternatives of a `security` list; `{}` means that none is needed. */
export function readAlternatives(value: unknown): SecurityAlternative[] {
  return arrayOr(value)
    .filter(isObject)
    .map((alternative) =>
      Object.fromEntries(
        Object.entries(alternative)
          .filter(([name]) => name !== '__proto__')
          .map(([name, scopes]) => [
            name,
            arrayOr(scopes).filter((scope): scope is string => typeof scope === 'string'),
          ]),
      ),
    );
}

/** Converts one alternative to our scheme; null if a part of it cannot be used. */
export function schemeOf(alternative: SecurityAlternative, table: SchemeTable): AuthScheme | null {
  const schemes: SimpleScheme[] = [];
  for (const name of Object.keys(alternative)) {
    const scheme = table.get(name);
    if (!scheme) return null;
    // Two flows for the same header are one scheme: Google's documents list both together.
    if (fillsAuthorization(scheme) && schemes.some(fillsAuthorization)) continue;
    schemes.push(scheme);
  }
  if (schemes.length === 0) return { kind: 'none' };
  return schemes.length === 1 ? schemes[0]! : { kind: 'all', schemes };
}

function fillsAuthorization(scheme: AuthScheme): boolean {
  return scheme.kind === 'bearer' || scheme.kind === 'oauth2';
}
