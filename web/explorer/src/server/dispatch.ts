import { failure } from './responses.ts';
import { matchPath, stripPrefix } from './paths.ts';
import type { BodySource } from './request-body.ts';
import { methodOf } from './routes.ts';
import type { Answer } from './routes.ts';
import type { IncomingRequest } from './types.ts';

/** Routes a request by method and path: 404, 405 with `Allow`, OPTIONS and HEAD included. */
export async function dispatch(
  answer: Answer,
  request: IncomingRequest,
  path: string,
  prefix: string,
  body: BodySource,
): Promise<Response> {
  const below = stripPrefix(path, prefix);
  const matched = below === null ? null : matchPath(below);
  if (matched === null) return failure(404, 'Not found');
  const served = methodOf[matched.pattern];
  const allow = served === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS';
  const method = request.method ?? 'GET';
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
  if (method === 'HEAD' && served === 'GET') {
    const { status, headers } = await answer(matched.pattern, request, matched.params, body);
    return new Response(null, { status, headers });
  }
  if (method !== served) return failure(405, `Method not allowed: ${method}`, { allow });
  return answer(matched.pattern, request, matched.params, body);
}
