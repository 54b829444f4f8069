import type { Call } from '../pipeline/call.ts';
import type { Placement } from '../pipeline/request/signed-request.ts';

// What a client says to us about the connection or the protocol means nothing to an upstream, or would mislead it.
const neverForwarded =
  /^(?:host|connection|content-length|content-type|content-encoding|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding|mcp-.*|origin|sec-.*)$/;

// Whatever opened this gateway, or could: an API must not get it, and a model must not choose whose it is.
const neverShared = new Set(['authorization', 'cookie']);

const none: readonly Placement[] = [];

/**
 * The client's own headers that the API's operator listed by name. The token that let the caller in is never among
 * them (https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices#token-passthrough).
 */
export function forwardedHeaders(call: Call): readonly Placement[] {
  const { forwardHeaders } = call.tool.api;
  if (forwardHeaders === undefined || forwardHeaders.length === 0 || call.clientHeaders === null) return none;
  const { policy } = call.server;
  const keyHeader = policy.kind === 'key' ? policy.header?.toLowerCase() : undefined;
  const recognized = call.caller.kind !== 'anonymous';
  const placements: Placement[] = [];
  for (const listed of forwardHeaders) {
    const name = listed.toLowerCase();
    const value = call.clientHeaders[name];
    if (value === undefined || neverForwarded.test(name) || name === keyHeader) continue;
    // What the operator wrote into the API or the tool stands.
    if (neverShared.has(name) || call.tool.request.isHeldHeader(name)) continue;
    if ((recognized || policy.kind !== 'open') && name === 'x-api-key') continue;
    placements.push({ in: 'header', name, value });
  }
  return placements;
}
