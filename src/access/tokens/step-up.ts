import type { Caller } from '../../domain/call.ts';
import type { HandrailError } from '../../domain/errors.ts';
import type { Server } from '../../domain/server.ts';
import { audienceOf } from '../callers.ts';
import { scopeMissingError } from './token-audience.ts';

/**
 * The error for a caller whose access token lacks the scope for a tool: it lists the scopes to request, including those
 * it already has, because a new token replaces the old one (RFC 6750 section 3.1). Undefined for every other caller, and
 * for a tool that no scope grants: they get "no such tool".
 */
export function stepUp(
  server: Server,
  caller: Caller,
  toolId: string,
  publicUrl: string,
): HandrailError | undefined {
  const { policy } = server;
  if (policy.kind !== 'oauth' || policy.toolScopes === undefined) return undefined;
  if (caller.kind !== 'oauth' || caller.toolIds === undefined || caller.toolIds.has(toolId)) return undefined;
  // Any of them would do, so request the one that grants the fewest other tools.
  const [granting] = Object.entries(policy.toolScopes)
    .filter(([, tools]) => tools.includes(toolId))
    .toSorted(([, one], [, other]) => one.length - other.length);
  if (granting === undefined) return undefined;
  const wanted = [...(policy.scopes ?? []), ...(caller.toolScopes ?? []), granting[0]];
  return scopeMissingError(audienceOf(server, policy, publicUrl), wanted);
}
