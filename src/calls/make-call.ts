import { type Caller, type ClientName, mayUseTool, type Surface, type TraceContext } from '../domain/call.ts';
import { callsErrors } from '../domain/error-messages/calls.ts';
import { type FollowUp, noFollowUp } from '../domain/pages/follow-up.ts';
import { newId } from '../domain/ids.ts';
import type { Server } from '../domain/server.ts';
import type { Tool } from '../domain/tool.ts';
import { childTrace, traceContextOf } from '../pipeline/trace-context.ts';
import type { Call, CallPart, Cancellation } from '../pipeline/call.ts';
import type { CompiledTool } from '../pipeline/compiled-tool.ts';
import { compileTool } from '../registry/build-snapshot.ts';
import { findCallable } from '../registry/callable-tools.ts';
import { type RefusedCall, refusedTool } from './refused-calls.ts';
import { findTool } from '../registry/rules/find-and-revise.ts';
import type { ServerView, Snapshot } from '../registry/snapshot.ts';

/** Who is calling and what: everything a surface knows. Nothing is optional, so no surface can forget a part. */
export interface CallRequest {
  readonly caller: Caller;
  readonly client: ClientName | null;
  readonly surface: Surface;
  readonly arguments: unknown;
  readonly signal: Cancellation;
  /** The client's own headers, lowercase; null where they aren't meant for the APIs. */
  readonly clientHeaders: Readonly<Record<string, string>> | null;
  /** The `traceparent` that was received, unchecked. */
  readonly traceparent: unknown;
  /** What the caller asked for beyond the one request. */
  readonly followUp: FollowUp;
}

/** A call of a tool under the name that its server gives it. */
export interface PublishedCallRequest extends CallRequest {
  readonly view: ServerView;
  readonly toolName: string;
}

/** What a call, or the run of a script, passes down to the calls made for it. */
export type ParentCall = Pick<
  Call,
  'id' | 'caller' | 'client' | 'surface' | 'signal' | 'clientHeaders' | 'trace'
>;

/** An operator's trial call of a tool, published or not; it counts toward the server. */
export interface TrialRequest extends CallRequest {
  readonly snapshot: Snapshot;
  readonly server: Server;
  /** Whether the operator named the server explicitly. */
  readonly isServerNamed: boolean;
}

/**
 * The only maker of a `Call`. For every surface, it decides whether the tool exists, whether this caller may call it
 * and whether it is enabled, and gives the call its limits, its ID and its place in a trace. Rate limits are applied
 * where the call runs.
 */
export interface CallMaker {
  /**
   * A call of a published tool. Undefined when the server shows this caller no such tool: the result is the same for
   * a tool that is unknown, disabled or not allowed, so that it reveals nothing.
   */
  make(request: PublishedCallRequest): Call | undefined;
  /** The same for a call that belongs to a run, such as a model answering a question. */
  makeWithin(run: ParentCall, request: PublishedCallRequest): Call | undefined;
  /**
   * A call of a stored tool, by the server's name for it or any other reference; throws if it is disabled. If no
   * server was named, an ambiguous name is rejected, even if the default server shows only one of the tools.
   */
  makeTrial(request: TrialRequest, reference: string): Call;
  /** A call of the given tool under this name, stored or not; throws if it is disabled. */
  makeDraft(request: TrialRequest, tool: Tool, name: string): Call;
  /** The run of a script: not a call itself, but the parent of the script's calls. */
  makeRun(request: Omit<CallRequest, 'arguments' | 'followUp'>): ParentCall;
  /**
   * A call made on behalf of another: same caller, same checks, its own record. Takes the server's current view,
   * because a long call may outlive its caller's permissions.
   */
  makeChild(
    parent: ParentCall,
    view: ServerView,
    toolName: string,
    args: unknown,
    part?: CallPart | null,
    followUp?: FollowUp,
  ): Call | undefined;
  /** Another request of the same tool for an operator who is trying it, published or not. */
  makePart(parent: Call, args: unknown, part: CallPart): Call;
  /** Records a call that is not made, so that an operator can find it. */
  refuse(refused: RefusedCall): void;
  /** The same for a tool that the server does not show this caller. */
  refuseTool(asked: Parameters<typeof refusedTool>[0]): void;
}

/** Creates the call maker. `traced` starts a trace where the client did not. */
export function createCallMaker(options: {
  readonly traced: boolean;
  readonly now: () => number;
  /** Called for calls that are not made. */
  readonly onRefused?: (refused: RefusedCall) => void;
}): CallMaker {
  const { traced, now, onRefused = () => {} } = options;

  function call(
    tool: CompiledTool,
    toolName: string,
    server: Server,
    { caller, client, surface, arguments: args, signal, clientHeaders, followUp }: CallRequest,
    trace: TraceContext | null,
    parentId: string | null,
    part: CallPart | null,
  ): Call {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place that may make a Call; its brand keeps others from doing so
    return {
      id: newId('call', now()),
      parentId,
      tool,
      toolName,
      server,
      caller,
      client,
      surface,
      arguments: args,
      signal,
      clientHeaders,
      trace,
      followUp,
      part,
    } as Call;
  }

  function child(
    parent: ParentCall,
    tool: CompiledTool,
    toolName: string,
    server: Server,
    args: unknown,
    part: CallPart | null,
    followUp: FollowUp,
  ): Call {
    const request = { ...parent, arguments: args, traceparent: undefined, followUp };
    const trace = parent.trace === null ? null : childTrace(parent.trace);
    return call(tool, toolName, server, request, trace, parent.id, part);
  }

  function trial(request: TrialRequest, tool: CompiledTool, name: string): Call {
    if (!mayUseTool(request.caller, tool.tool.id)) throw callsErrors.callerNotAllowed({ tool: name });
    return call(tool, name, request.server, request, traceContextOf(request.traceparent, traced), null, null);
  }

  return {
    make(request) {
      const { view } = request;
      const listed = findCallable(view, request.caller, request.toolName);
      if (listed === undefined) return undefined;
      const trace = traceContextOf(request.traceparent, traced);
      return call(listed.compiled, listed.name, view.server, request, trace, null, null);
    },

    makeWithin(run, request) {
      const listed = findCallable(request.view, request.caller, request.toolName);
      if (listed === undefined) return undefined;
      const trace = run.trace === null ? null : childTrace(run.trace);
      return call(listed.compiled, listed.name, request.view.server, request, trace, run.id, null);
    },

    makeTrial(request, reference) {
      const { snapshot, server } = request;
      const listed = snapshot.view(server.slug)?.byName.get(reference);
      if (listed !== undefined && !request.isServerNamed && listed.name === listed.compiled.tool.name)
        findTool(snapshot, reference);
      if (listed !== undefined) return trial(request, listed.compiled, listed.name);
      const tool = findTool(snapshot, reference);
      return trial(request, enabled(snapshot, tool), tool.name);
    },

    makeDraft(request, tool, name) {
      return trial(request, enabled(request.snapshot, tool), name);
    },

    makeRun({ caller, client, surface, signal, clientHeaders, traceparent }) {
      const trace = traceContextOf(traceparent, traced);
      return { id: newId('call', now()), caller, client, surface, signal, clientHeaders, trace };
    },

    makeChild(parent, view, toolName, args, part = null, followUp = noFollowUp) {
      const listed = findCallable(view, parent.caller, toolName);
      if (listed === undefined) return undefined;
      return child(parent, listed.compiled, listed.name, view.server, args, part, followUp);
    },

    makePart(parent, args, part) {
      return child(parent, parent.tool, parent.toolName, parent.server, args, part, noFollowUp);
    },

    refuse: onRefused,
    refuseTool: (asked) => onRefused(refusedTool(asked)),
  };
}

/** The tool, ready to call; throws if the registry does not serve it. */
function enabled(snapshot: Snapshot, tool: Tool): CompiledTool {
  const api = snapshot.apis.get(tool.apiId);
  if (!tool.enabled) throw callsErrors.toolDisabled({ tool: tool.name });
  if (api === undefined) throw callsErrors.apiMissing({ tool: tool.name });
  if (!api.enabled) throw callsErrors.apiDisabled({ api: api.slug, tool: tool.name });
  const served = snapshot.compiled.get(tool.id);
  return served?.tool === tool ? served : compileTool(snapshot, api, tool);
}
