import type { LoginScheme } from '../../domain/auth-scheme.ts';
import { credentialErrors } from '../../domain/error-messages/credentials.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { OutboundRequest, OutboundReply } from '../../upstream/fetch-guarded.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { SecretFields } from '../seal.ts';
import type { Token } from '../token-keeper.ts';
import { valueAt } from '../../lib/json/json-pointer.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

const maxLoginReplyBytes = 1024 * 1024;
const maxTokenLength = 16 * 1024;

/** Signs in as the scheme describes and extracts the token from the reply. */
export async function fetchLoginToken(
  fetch: FetchGuarded,
  scheme: LoginScheme,
  fields: SecretFields,
  egressAllow: readonly string[] | undefined,
  now: () => number,
): Promise<Token> {
  const reply = await fetch({
    ...loginRequest(scheme, fields),
    ...(egressAllow && { egressAllow }),
    maxReplyBytes: maxLoginReplyBytes,
  }).catch((error: unknown) => {
    throw loginError(error instanceof HandrailError ? error.message : 'the request failed', undefined, error);
  });
  if (reply.status < 200 || reply.status > 299) {
    throw loginError(`${reply.status} ${statusTexts[reply.status] ?? ''}`.trim(), reply.status);
  }
  const text = reply.body.toString('utf8').trim();
  const json = parseJson(text);
  const value = scheme.tokenPath === undefined ? text : pick(json, scheme.tokenPath);
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw loginError(
      `the reply has no token at ${JSON.stringify(scheme.tokenPath)}; check the token path`,
      reply.status,
    );
  }
  const token = String(value).trim();
  if (token === '' || token.length > maxTokenLength || /[\0\r\n]/.test(token)) {
    throw loginError('the reply has no usable token; check the token path', reply.status);
  }
  const obtainedAtMs = now();
  return {
    value: token,
    obtainedAtMs,
    expiresAtMs: expiryOf(json, scheme.tokenPath, token, obtainedAtMs, scheme.ttlMs),
  };
}

/** Whether a reply says that the token is no longer valid. */
export function rejectsToken(scheme: LoginScheme, reply: Reply): boolean {
  if (reply.status === 401) return true;
  const keywords = scheme.invalidationKeywords;
  if (keywords === undefined || keywords.length === 0) return false;
  const text = Buffer.from(reply.body.buffer, reply.body.byteOffset, Math.min(reply.body.byteLength, 65_536))
    .toString('utf8')
    .toLowerCase();
  return keywords.some((keyword) => keyword !== '' && text.includes(keyword.toLowerCase()));
}

function loginRequest(scheme: LoginScheme, fields: SecretFields): OutboundRequest {
  const payload = Object.fromEntries(scheme.payloadFields.map((name) => [name, fields[name] ?? '']));
  const request = {
    method: scheme.method.toUpperCase(),
    url: scheme.url,
    headers: { accept: 'application/json, text/plain, */*' },
  };
  switch (scheme.payloadIn) {
    case 'json':
      return { ...request, body: { contentType: 'application/json', content: JSON.stringify(payload) } };
    case 'form':
      return {
        ...request,
        body: {
          contentType: 'application/x-www-form-urlencoded',
          content: new URLSearchParams(payload).toString(),
        },
      };
    case 'query': {
      const url = new URL(scheme.url);
      for (const [name, value] of Object.entries(payload)) url.searchParams.set(name, value);
      return { ...request, url: url.href };
    }
    case 'headers':
      return {
        ...request,
        headers: {
          ...request.headers,
          ...Object.fromEntries(Object.entries(payload).map(([name, value]) => [name.toLowerCase(), value])),
        },
      };
  }
}

function expiryOf(
  json: unknown,
  tokenPath: string | undefined,
  token: string,
  nowMs: number,
  ttlMs: number | undefined,
): number | null {
  // Next to the token, or at the top level if the token is nested.
  for (const place of [parentOf(json, tokenPath), json]) {
    const seconds = objectOr(place)['expires_in'];
    if ((typeof seconds === 'number' || typeof seconds === 'string') && Number(seconds) > 0)
      return nowMs + Number(seconds) * 1000;
  }
  const exp = jwtExpiry(token);
  if (exp !== null) return exp;
  return ttlMs === undefined ? null : nowMs + ttlMs;
}

function jwtExpiry(token: string): number | null {
  const payload = token.split('.');
  if (payload.length !== 3) return null;
  const claims = parseJson(Buffer.from(payload[1]!, 'base64url').toString('utf8'));
  const { exp } = objectOr(claims);
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : null;
}

// `a.b.0`, `a.b[0]` or the JSON Pointer `/a/b/0`.
function stepsOf(path: string): string[] {
  if (path.startsWith('/')) {
    return path
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return path
    .replace(/^\$\.?/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '');
}

function pick(json: unknown, path: string): unknown {
  return valueAt(json, stepsOf(path));
}

function parentOf(json: unknown, path: string | undefined): unknown {
  return path === undefined ? undefined : valueAt(json, stepsOf(path).slice(0, -1));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function loginError(why: string, status?: OutboundReply['status'], cause?: unknown): HandrailError {
  return credentialErrors.loginFailed(
    { reason: why },
    status === undefined ? {} : { upstreamStatus: status },
    { cause },
  );
}
