import { urlFor } from './url-for.ts';
import { takeEarlyResponse } from './early-requests.ts';
import { fetchTracked } from './reachability.ts';
import { ProblemError, readProblem } from './problem.ts';
import type { InputOf, Method, PathOf, ReplyOf, RouteAt } from './routes.ts';
import { readCsrf, readToken } from './token.ts';

/** An untyped request, for code that is generic over routes. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly revision?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the admin API. Method, path, parameters, body and reply are checked against its contract. */
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
  const response = await send(`/api/v1${urlFor(path, params, query)}`, {
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

const signedOutListeners = new Set<() => void>();

/** Calls the listener when the gateway rejects the session. Returns a function that unsubscribes. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

// Set once the gateway rejected the session. Until the user signs in again, requests that refresh pages would only be
// rejected as well, and count as failed sign-ins of this address.
let isRejected = false;
const signInPaths = /^\/api\/v1\/(?:session|setup|sign-in|invitation)/;

/** Call after signing in, so that pages are refreshed again. */
export const resumeRequests = (): void => void (isRejected = false);

/** Sends an authenticated request to this gateway. Throws a ProblemError for anything but success. */
export async function send(url: string, init: RequestInit = {}): Promise<Response> {
  const token = readToken();
  const headers = new Headers(init.headers);
  if (token !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
  const csrf = readCsrf();
  if (csrf !== null && init.method !== undefined && init.method !== 'GET')
    headers.set('x-handrail-csrf', csrf);
  const isRead = init.method === undefined || init.method === 'GET';
  if (isRejected && isRead && !signInPaths.test(url)) throw new ProblemError(401, 'unauthenticated', '');
  const early = isRead ? takeEarlyResponse(url) : undefined;
  const response = await (early ?? fetchTracked(url, { ...init, headers, credentials: 'same-origin' }));
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (problem.status === 401) {
    isRejected = true;
    for (const listener of signedOutListeners) listener();
  }
  throw problem;
}
