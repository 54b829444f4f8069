import type { FastifyRequest } from 'fastify';
import { stepUp } from '../access/tokens/step-up.ts';
import type { Caller } from '../domain/call.ts';
import type { FollowUp } from '../domain/pages/follow-up.ts';
import { clientHeadersOf } from '../mcp/context.ts';
import type { Call } from '../pipeline/call.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { AppContext } from './app-context.ts';

/**
 * Makes a call of a plain REST surface; null, and recorded as refused, if the server shows this caller no such tool.
 * Throws if the caller's token could get a scope that allows it.
 */
export function makeRestCall(
  { calls, publicUrl }: AppContext,
  request: FastifyRequest,
  {
    view,
    caller,
    name,
    args,
    followUp,
    signal,
  }: {
    readonly view: ServerView;
    readonly caller: Caller;
    readonly name: string;
    readonly args: unknown;
    readonly followUp: FollowUp;
    readonly signal: AbortSignal;
  },
): Call | null {
  const { 'user-agent': agent, traceparent } = request.headers;
  const asked = {
    view,
    toolName: name,
    caller,
    client: agent === undefined ? null : { name: agent },
    surface: 'rest',
    arguments: args,
  } as const;
  const made = calls.make({
    ...asked,
    signal,
    clientHeaders: clientHeadersOf(request.raw),
    traceparent,
    followUp,
  });
  if (made !== undefined) return made;
  calls.refuseTool(asked);
  const hidden = view.byName.get(name);
  const refused =
    hidden && stepUp(view.server, caller, { id: hidden.compiled.tool.id, name: hidden.name }, publicUrl());
  if (refused !== undefined) throw refused;
  return null;
}
