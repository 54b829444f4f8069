import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import type { RequestPlan } from '../pipeline/request/request-plan.ts';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

// Headers that don't identify the sender; all others are dropped when the origin changes.
const harmlessHeaders = new Set([
  'accept',
  'accept-language',
  'accept-encoding',
  'content-type',
  'user-agent',
]);

/** The target of a redirect; null if the reply is not a redirect. */
export function redirectLocation(
  status: number,
  headers: Readonly<Record<string, string>>,
  from: RequestPlan,
): URL | null {
  const location = headers['location'];
  if (location === undefined || !redirectStatuses.has(status)) return null;
  let url: URL;
  try {
    url = new URL(location, from.origin + from.target);
  } catch {
    throw upstreamErrors.redirectUnreadable({ upstreamStatus: status });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw upstreamErrors.redirectScheme(
      { scheme: JSON.stringify(url.protocol.slice(0, 40)) },
      { upstreamStatus: status },
    );
  url.username = '';
  url.password = '';
  return url;
}

/**
 * The next request of a redirect (RFC 9110 section 15.4): 303, and 301 or 302 after a POST, become a GET without body.
 * When the origin changes, everything that could identify the sender is dropped, the body's secret fields included:
 * `plain` is the request without its credential.
 */
export function nextHop(status: number, to: URL, full: RequestPlan, plain: RequestPlan): RequestPlan {
  const crosses = to.origin !== full.origin;
  const from = crosses ? plain : full;
  const becomesGet =
    (status === 303 && from.method !== 'HEAD') ||
    ((status === 301 || status === 302) && from.method === 'POST');
  const headers: Record<string, string> = {};
  for (const name in from.headers) {
    if (crosses && !harmlessHeaders.has(name)) continue;
    if (becomesGet && name === 'content-type') continue;
    headers[name] = from.headers[name]!;
  }
  return {
    method: becomesGet ? 'GET' : from.method,
    origin: to.origin,
    target: to.pathname + to.search,
    headers,
    body: becomesGet ? null : from.body,
  };
}
