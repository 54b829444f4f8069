import type { Caller } from '../../domain/call.ts';
import type { HandrailError } from '../../domain/errors.ts';
import type { Server } from '../../domain/server.ts';
import { audienceOf } from '../callers.ts';
import { insufficient } from './token-audience.ts';

/**
 * What a caller with an access token is told when it calls a tool that another scope would open: which scopes to ask
 * for, those it has included, because a new token takes the place of the old one (RFC 6750 section 3.1). Undefined for
 * every other caller, and for a tool that no scope opens: they are told that there is no such tool.
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
  // Any of them would do: the one that opens least besides is asked for.
  const [opening] = Object.entries(policy.toolScopes)
    .filter(([, tools]) => tools.includes(toolId))
    .toSorted(([, one], [, other]) => one.length - other.length);
  if (opening === undefined) return undefined;
  const wanted = [...(policy.scopes ?? []), ...(caller.toolScopes ?? []), opening[0]];
  return insufficient(audienceOf(server, policy, publicUrl), wanted);
}
