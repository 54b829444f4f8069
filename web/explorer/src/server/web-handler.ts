import { dispatch } from './dispatch.ts';
import { normalizePrefix } from './paths.ts';
import { chunksOf, readChunks } from './request-body.ts';
import type { RequestBody } from './request-body.ts';
import { toHeaderRecord } from './request-headers.ts';
import { createAnswer, maxBodyBytesOf } from './routes.ts';
import type { IncomingRequest, ToolCallHandler, ToolsProvider, UIConfig } from './types.ts';

/**
 * A web-standard handler for Hono, Next.js, Bun, Deno, workers and anything else with `Request` and `Response`.
 * `prefix` is the path it is mounted at. The returned function never rejects.
 */
export function createHandler(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  config: UIConfig = {},
): (request: Request, prefix?: string) => Promise<Response> {
  const answer = createAnswer(tools, handleCall, config);
  const maxBytes = maxBodyBytesOf(config);
  return (request, prefix = '') => {
    const incoming: IncomingRequest = {
      method: request.method,
      url: request.url,
      headers: toHeaderRecord(request.headers.entries()),
      signal: request.signal,
      raw: request,
    };
    const path = new URL(request.url).pathname;
    return dispatch(answer, incoming, path, normalizePrefix(prefix), {
      read: () => readRequest(request, maxBytes),
      onParsed: (value) => (incoming.body = value),
    });
  };
}

async function readRequest(request: Request, maxBytes: number): Promise<RequestBody> {
  if (request.body === null || request.bodyUsed) return { kind: 'absent' };
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return { kind: 'too-large' };
  return readChunks(chunksOf(request.body), maxBytes);
}
