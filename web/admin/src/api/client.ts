import { addressOf } from './address.ts';
import { takeEarlyResponse } from './early-requests.ts';
import { fetchNoting } from './presence.ts';
import { readProblem } from './problem.ts';
import type { InputOf, Method, PathOf, ReplyOf, RouteAt } from './routes.ts';
import { readCsrf, readToken } from './token.ts';

/** A request whose parts the compiler no longer knows; only for code that is generic over routes. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly revision?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the admin API. Method, path, parameters, body and answer are all checked against its contract. */
export function request<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: InputOf<RouteAt<M, P>>,
): Promise<ReplyOf<RouteAt<M, P>>> {
  return requestAny(method, path, input as AnyInput) as Promise<ReplyOf<RouteAt<M, P>>>;
}

/** The same, unchecked. */
export async function requestAny(
  method: string,
  path: string,
  { params, query, body, revision, signal }: AnyInput,
): Promise<unknown> {
  const response = await send(`/api/v1${addressOf(path, params, query)}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(revision !== undefined && { 'if-match': `"${revision}"` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return response.status === 204 ? undefined : response.json();
}

const onSignedOut = new Set<() => void>();

/** Tells when the gateway no longer knows us. */
export function watchSignedOut(listener: () => void): () => void {
  onSignedOut.add(listener);
  return () => onSignedOut.delete(listener);
}

/** Sends to this gateway with whatever lets us in; throws a ProblemError for anything but success. */
export async function send(url: string, init: RequestInit = {}): Promise<Response> {
  const token = readToken();
  const headers = new Headers(init.headers);
  if (token !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
  const csrf = readCsrf();
  if (csrf !== null && init.method !== undefined && init.method !== 'GET')
    headers.set('x-handrail-csrf', csrf);
  const early = init.method === undefined || init.method === 'GET' ? takeEarlyResponse(url) : undefined;
  const response = await (early ?? fetchNoting(url, { ...init, headers, credentials: 'same-origin' }));
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (problem.status === 401) for (const listener of onSignedOut) listener();
  throw problem;
}
