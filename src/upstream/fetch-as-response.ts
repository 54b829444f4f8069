import type { FetchGuarded } from './fetch-guarded.ts';

const maxReplyBytes = 1024 * 1024;

/** What the OAuth library asks for: it only sends forms. */
interface LibraryRequest {
  readonly method: string;
  readonly headers: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
}

/** Sends a request of the OAuth library through the egress guard. */
export async function fetchAsResponse(
  fetch: FetchGuarded,
  url: string,
  init: LibraryRequest,
  { egressAllow, timeoutMs }: { readonly egressAllow?: readonly string[]; readonly timeoutMs?: number } = {},
): Promise<Response> {
  const headers: Record<string, string> = {};
  new Headers(init.headers).forEach((value, name) => (headers[name] = value));
  const content =
    init.body instanceof URLSearchParams || typeof init.body === 'string' ? init.body.toString() : null;
  const reply = await fetch({
    url,
    method: init.method,
    headers,
    body:
      content === null
        ? null
        : {
            contentType: headers['content-type'] ?? 'application/x-www-form-urlencoded;charset=UTF-8',
            content,
          },
    ...(egressAllow && { egressAllow }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    maxReplyBytes,
  });
  const bodiless = reply.status === 204 || reply.status === 304;
  return new Response(bodiless ? null : new Uint8Array(reply.body), {
    status: reply.status,
    headers: reply.headers,
  });
}
