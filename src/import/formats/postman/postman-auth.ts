import type { AuthScheme } from '../../../domain/auth-scheme.ts';
import type { ImportNote, ProposedCredential } from '../../../domain/description.ts';
import { isObject, objectOr, textOr, wordOf } from '../../../lib/json/plain-object.ts';

/** The authentication of a Postman request, and its secret; null if it has none. */
export function readAuth(
  given: unknown,
  fill: (text: string) => string,
  notes: ImportNote[],
  at: string,
): { auth: AuthScheme; credential: ProposedCredential | null } | null {
  const auth = objectOr(given);
  const type = textOr(auth['type']);
  if (!type || type === 'inherit') return null;
  const options = new Map<string, string>();
  const list = auth[type];
  if (Array.isArray(list))
    for (const entry of list.filter(isObject))
      options.set(wordOf(entry['key']), fill(wordOf(entry['value'] ?? '')));
  else for (const [key, value] of Object.entries(objectOr(list))) options.set(key, fill(wordOf(value ?? '')));
  const secret = (fields: Record<string, string | undefined>): ProposedCredential | null =>
    usable({ fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value ?? ''])) });
  switch (type) {
    case 'noauth':
      return { auth: { kind: 'none' }, credential: null };
    case 'bearer':
      return { auth: { kind: 'bearer' }, credential: secret({ token: options.get('token') }) };
    case 'basic':
      return {
        auth: { kind: 'basic' },
        credential: secret({ username: options.get('username'), password: options.get('password') }),
      };
    case 'apikey':
      return {
        auth: {
          kind: 'api-key',
          in: options.get('in') === 'query' ? 'query' : 'header',
          name: options.get('key') || 'X-API-Key',
        },
        credential: secret({ value: options.get('value') }),
      };
    case 'awsv4':
      return {
        auth: {
          kind: 'aws-sigv4',
          region: options.get('region') || 'us-east-1',
          service: options.get('service') || 'execute-api',
        },
        credential: secret({
          accessKeyId: options.get('accessKey'),
          secretAccessKey: options.get('secretKey'),
        }),
      };
    case 'oauth2': {
      const tokenUrl = options.get('accessTokenUrl');
      if (tokenUrl && !tokenUrl.includes('{{') && options.get('grant_type') === 'client_credentials') {
        return {
          auth: { kind: 'oauth2', grant: 'client_credentials', tokenUrl },
          credential: secret({
            clientId: options.get('clientId'),
            clientSecret: options.get('clientSecret'),
          }),
        };
      }
      return { auth: { kind: 'bearer' }, credential: secret({ token: options.get('accessToken') }) };
    }
    default:
      notes.push({
        code: 'security_scheme_unknown',
        message: `Authentication of type "${type}" cannot be imported; set it on the API manually.`,
        at,
      });
      return { auth: { kind: 'none' }, credential: null };
  }
}

/** The credential if it is complete and has no variables; else null. */
export function usable(credential: ProposedCredential | null): ProposedCredential | null {
  return credential && Object.values(credential.fields).some((value) => value.includes('{{') || value === '')
    ? null
    : credential;
}
