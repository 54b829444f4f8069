import type { Caller } from '../../domain/call.ts';
import { kindScopes, toolScope } from '../../domain/connected-app.ts';
import type { HandrailError } from '../../domain/errors.ts';
import { defaultServerSlug, type Server } from '../../domain/server.ts';
import { audienceOf, signInChallenge } from '../callers.ts';
import { scopeMissingError } from './token-audience.ts';

/**
 * The error for a caller whose access token lacks the scope for a tool: it lists the scopes to request, including those
 * it already has, because a new token replaces the old one (RFC 6750 section 3.1). Undefined for every other caller, and
 * for a tool that no scope grants: they get "no such tool".
 */
export function stepUp(
  server: Server,
  caller: Caller,
  tool: { readonly id: string; readonly name: string },
  publicUrl: string,
): HandrailError | undefined {
  const { policy } = server;
  const { toolIds } = caller;
  // A client of either URL of the default server accepts the metadata of the shorter one.
  const isDefault = server.slug === defaultServerSlug;
  if (toolIds === undefined || toolIds.has(tool.id)) return undefined;
  if (policy.kind === 'sign-in' && caller.kind === 'person') {
    const wanted = [...(caller.toolScopes ?? kindScopes), toolScope(tool.name)];
    return scopeMissingError(signInChallenge(server, publicUrl, isDefault), wanted);
  }
  if (policy.kind !== 'oauth' || policy.toolScopes === undefined) return undefined;
  if (caller.kind !== 'oauth') return undefined;
  // Any of them would do, so request the one that grants the fewest other tools.
  const [granting] = Object.entries(policy.toolScopes)
    .filter(([, tools]) => tools.includes(tool.id))
    .toSorted(([, one], [, other]) => one.length - other.length);
  if (granting === undefined) return undefined;
  const wanted = [...(policy.scopes ?? []), ...(caller.toolScopes ?? []), granting[0]];
  return scopeMissingError(audienceOf(server, policy, publicUrl, isDefault), wanted);
}
