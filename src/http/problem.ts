import type { FastifyReply } from 'fastify';
import { errorCatalog, type HandrailError } from '../domain/errors.ts';

/** An error as RFC 9457 problem details. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  readonly retryAfterMs?: number;
}

export function problemOf(error: HandrailError): ProblemDetails {
  const { title, status } = errorCatalog[error.code];
  const { problems, retryAfterMs } = error.details;
  return {
    type: `urn:handrail:error:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...(problems !== undefined && { problems }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

export function sendProblem(reply: FastifyReply, error: HandrailError): FastifyReply {
  setChallenge(reply, error);
  setRetryAfter(reply, error);
  return reply
    .code(error.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(error)));
}

/** Sets the WWW-Authenticate header for authentication errors (RFC 9110 section 11.6.1). */
export function setChallenge(reply: FastifyReply, error: HandrailError): void {
  const challenge =
    error.details.challenge ?? (error.code === 'unauthenticated' ? 'Bearer realm="handrail"' : undefined);
  if (challenge !== undefined) reply.header('www-authenticate', challenge);
}

/** Sets the Retry-After header when the error has a retry time (RFC 9110 section 10.2.3). */
export function setRetryAfter(reply: FastifyReply, { details }: HandrailError): void {
  if (details.retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(details.retryAfterMs / 1000));
}
