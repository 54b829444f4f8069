import type { SignedRequest } from '../pipeline/request/signed-request.ts';
import type { FetchGuarded, OutboundReply } from './fetch-guarded.ts';

/** Sends a signed request outside of a call, to test a credential. */
export function sendProbe(
  fetch: FetchGuarded,
  request: SignedRequest,
  egressAllow: readonly string[] | undefined,
): Promise<OutboundReply> {
  const { origin, target, method, headers, body } = request.reveal();
  return fetch({
    url: origin + target,
    method,
    headers,
    body,
    timeoutMs: 15_000,
    maxReplyBytes: 1024 * 1024,
    ...(egressAllow && { egressAllow }),
    ...(request.tls && { tls: request.tls, identity: request.credentialIdentity }),
  });
}
