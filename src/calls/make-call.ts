import { type Caller, type ClientName, mayCall, type Surface, type TraceContext } from '../domain/call.ts';
import { HandrailError } from '../domain/errors.ts';
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

/** Who asks and for what: all that a surface knows. Nothing is optional, so that no surface forgets a part. */
export interface CallRequest {
  readonly caller: Caller;
  readonly client: ClientName | null;
  readonly surface: Surface;
  readonly arguments: unknown;
  readonly signal: Cancellation;
  /** The client's own headers, lower-case; null where they are meant for somebody else than the APIs. */
  readonly clientHeaders: Readonly<Record<string, string>> | null;
  /** The `traceparent` that came along, whatever it is. */
  readonly traceparent: unknown;
  /** What the caller wants beyond the one request. */
  readonly followUp: FollowUp;
}

/** A call of a tool under the name that its server gives it. */
export interface PublishedCallRequest extends CallRequest {
  readonly view: ServerView;
  readonly toolName: string;
}

/** What a call, or the run of a script, hands down to the calls that are made for it. */
export type ParentCall = Pick<
  Call,
  'id' | 'caller' | 'client' | 'surface' | 'signal' | 'clientHeaders' | 'trace'
>;

/** An operator's call of a tool, which need not be published yet; it counts for the server that is named. */
export interface TrialRequest extends CallRequest {
  readonly snapshot: Snapshot;
  readonly server: Server;
  /** Whether the operator said which server is meant. */
  readonly isServerNamed: boolean;
}

/**
 * The only maker of a `Call`: whichever way it came in, this decides whether there is such a tool, whether this caller
 * may call it and whether it is enabled, and gives the call its limits, its id and its place in a trace. How many calls
 * a minute are let through is counted where the call runs, for all of them alike.
 */
export interface CallMaker {
  /**
   * A call of a published tool. Undefined when the server shows this caller no such tool: one answer for a tool that is
   * unknown, disabled or not for this caller, so that none is betrayed.
   */
  make(request: PublishedCallRequest): Call | undefined;
  /** The same for a call that belongs to a run, such as what a model does to answer a question. */
  makeWithin(run: ParentCall, request: PublishedCallRequest): Call | undefined;
  /**
   * A call of a stored tool, by a name the server gives it or any reference to it; refuses one that is disabled. Where
   * no server was named, a name that several tools have is refused, whichever of them the default server shows.
   */
  makeTrial(request: TrialRequest, reference: string): Call;
  /** A call of a tool as it is given, stored or not, under this name; refuses one that is disabled. */
  makeDraft(request: TrialRequest, tool: Tool, name: string): Call;
  /** The run of a script: no call of a tool, but what the calls of the script belong to. */
  makeRun(request: Omit<CallRequest, 'arguments' | 'followUp'>): ParentCall;
  /**
   * A call that another makes on its way: for the same caller, with the same checks, recorded and counted as a call of
   * its own. The view is the server as it is now, because a long call may outlive what its caller may do.
   */
  makeChild(
    parent: ParentCall,
    view: ServerView,
    toolName: string,
    args: unknown,
    part?: CallPart | null,
    followUp?: FollowUp,
  ): Call | undefined;
  /** A further request of the same tool for an operator who tries it, published or not. */
  makePart(parent: Call, args: unknown, part: CallPart): Call;
  /** Leaves a trace of a call that is not made, so that an operator finds it. */
  refuse(refused: RefusedCall): void;
  /** The same for a tool that the server does not show this caller. */
  refuseTool(asked: Parameters<typeof refusedTool>[0]): void;
}

/** Makes the maker. `traced` begins a trace where the client did not. */
export function createCallMaker(options: {
  readonly traced: boolean;
  readonly now: () => number;
  /** Hears of calls that are not made. */
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place that may make a Call, whose brand keeps others from it
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
    if (!mayCall(request.caller, tool.tool.id))
      throw new HandrailError('forbidden', `This caller may not call the tool "${name}".`);
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

/** The tool, ready to call; refuses one that the registry does not serve. */
function enabled(snapshot: Snapshot, tool: Tool): CompiledTool {
  const api = snapshot.apis.get(tool.apiId);
  if (!tool.enabled) throw disabled(`The tool "${tool.name}" is disabled: enable it to call it.`);
  if (api === undefined)
    throw disabled(`The API of the tool "${tool.name}" is not there: it cannot be called.`);
  if (!api.enabled)
    throw disabled(`The API "${api.slug}" is disabled: enable it to call the tool "${tool.name}".`);
  const served = snapshot.compiled.get(tool.id);
  return served?.tool === tool ? served : compileTool(snapshot, api, tool);
}

function disabled(message: string): HandrailError {
  return new HandrailError('conflict', message);
}
