import type { Call } from '../pipeline/call.ts';
import type { Placement } from '../pipeline/request/signed-request.ts';

// Headers about the client's connection or protocol mean nothing to an upstream, or would mislead it.
export const neverForwarded =
  /^(?:host|connection|content-length|content-type|content-encoding|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding|mcp-.*|origin|sec-.*)$/;

// Headers that may authenticate to this gateway: an API must not get them, and a model must not choose whose they are.
const neverShared = new Set(['authorization', 'cookie']);

const none: readonly Placement[] = [];

/**
 * The client's own headers that the API's operator listed by name. The token that authenticated the caller is
 * never included (https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices#token-passthrough).
 */
export function forwardedHeaders(call: Call): readonly Placement[] {
  const { forwardHeaders } = call.tool.api;
  if (forwardHeaders === undefined || forwardHeaders.length === 0 || call.clientHeaders === null) return none;
  const { policy } = call.server;
  const keyHeader = policy.kind === 'key' ? policy.header?.toLowerCase() : undefined;
  const recognized = call.caller.kind !== 'anonymous';
  return forwardable(call, forwardHeaders).filter(
    ({ name }) =>
      name !== keyHeader &&
      !neverShared.has(name) &&
      !((recognized || policy.kind !== 'open') && name === 'x-api-key'),
  );
}

/** Those of the named headers that the client sent and that can be passed on. */
export function forwardable({ clientHeaders, tool }: Call, names: readonly string[]): readonly Placement[] {
  if (clientHeaders === null) return none;
  const placements: Placement[] = [];
  for (const listed of names) {
    const name = listed.toLowerCase();
    const value = clientHeaders[name];
    if (value === undefined || neverForwarded.test(name)) continue;
    // Headers set by the operator on the API or the tool take precedence.
    if (tool.request.isHeldHeader(name)) continue;
    placements.push({ in: 'header', name, value });
  }
  return placements;
}
