import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { AnswerCall, ModelReader } from '../../calls/answer-call.ts';
import type { CallMaker } from '../../calls/make-call.ts';
import { findCallable } from '../../registry/callable-tools.ts';
import { type FollowUp, noFollowUp } from '../../domain/pages/follow-up.ts';
import type { HandrailError } from '../../domain/errors.ts';
import type { PlainObject } from '../../lib/json/plain-object.ts';
import { counted } from '../../lib/text/amounts.ts';
import type { Call, Outcome } from '../../pipeline/call.ts';
import type { BuiltInAnswer, BuiltInTools } from '../built-in/built-in-tools.ts';
import { schemaHint } from '../built-in/schema-hint.ts';
import { directFollowUp, hasOwnArguments, takeOwnArguments } from '../built-in/own-arguments.ts';
import type { Era } from '../context.ts';
import type { NativeFeatures, NativeTool } from '../native.ts';
import { ownName } from '../render/render-tools.ts';
import { promisesStructure, type ToolResult, withoutLinks } from './call-result.ts';
import type { McpRequest, ReportProgress } from './request.ts';
import { RpcFault } from './rpc-fault.ts';

/** What a `tools/call` requests, decided before anything runs. */
export type OpenedCall =
  /** A tool implemented in code; it may need to ask the client something. */
  | { readonly kind: 'native'; readonly tool: NativeTool }
  /** A tool for an operation or a script. */
  | {
      readonly kind: 'call';
      readonly call: Call;
      readonly reader: ModelReader;
      readonly isIndirect: boolean;
    }
  /** A built-in tool. */
  | { readonly kind: 'built-in'; readonly answer: Exclude<BuiltInAnswer, { readonly toolName: string }> }
  /** The server shows this caller no such tool. */
  | { readonly kind: 'unknown'; readonly toolName: string };

export interface CallToolDependencies {
  readonly calls: Pick<CallMaker, 'make' | 'refuseTool'>;
  readonly answerCall: AnswerCall;
  readonly builtIn: BuiltInTools;
  readonly native: (slug: string) => NativeFeatures | undefined;
}

const readWhole: ModelReader = {};

/** Decides what `tools/call` means, for every transport: native tools, own arguments, built-in tools, everything else. */
export function createCallTool(dependencies: CallToolDependencies) {
  const { calls, answerCall, builtIn } = dependencies;

  function open(name: string, args: PlainObject, request: McpRequest): OpenedCall {
    const { view, caller, mode } = request.context;
    const { server } = view;
    const native = (request.context.native ?? dependencies.native(server.slug))?.tools.get(name);
    if (native !== undefined) return { kind: 'native', tool: native };
    const toolName = ownName(view, name, request.dialect);
    const tool = findCallable(view, caller, toolName)?.compiled;
    if (tool !== undefined) {
      if (!hasOwnArguments(server, tool, args))
        return opened(make(toolName, args, directFollowUp(server), request), readWhole, false, toolName);
      const read = takeOwnArguments(server, tool, args);
      if ('refused' in read) return { kind: 'built-in', answer: { answer: () => read.refused } };
      return opened(make(toolName, read.rest, read.followUp, request), read, false, toolName);
    }
    const answer = builtIn.open(name, args, view, caller, mode);
    if (answer === undefined) return { kind: 'unknown', toolName };
    if (!('toolName' in answer)) return { kind: 'built-in', answer };
    const call = make(answer.toolName, answer.arguments, answer.followUp, request);
    return opened(call, answer, true, answer.toolName);
  }

  function opened(
    call: Call | undefined,
    reader: ModelReader,
    isIndirect: boolean,
    toolName: string,
  ): OpenedCall {
    return call === undefined ? { kind: 'unknown', toolName } : { kind: 'call', call, reader, isIndirect };
  }

  function make(
    toolName: string,
    args: unknown,
    followUp: FollowUp,
    { context, client, surface, signal, headers, traceparent, progress }: McpRequest,
  ): Call | undefined {
    return calls.make({
      view: context.view,
      toolName,
      caller: context.caller,
      client,
      surface,
      arguments: args,
      signal,
      clientHeaders: headers,
      traceparent,
      followUp: followUp.all && progress !== null ? { ...followUp, report: reportPages(progress) } : followUp,
    });
  }

  async function run(
    target: Extract<OpenedCall, { readonly kind: 'call' | 'built-in' }>,
    args: PlainObject,
    request: McpRequest,
  ): Promise<ToolResult> {
    if (target.kind === 'built-in') return { given: await answerBuiltIn(target.answer, args, request) };
    const { call, reader, isIndirect } = target;
    const { progress } = request;
    const outcome =
      progress === null || call.followUp.all
        ? await answerCall(call, reader)
        : await whileReporting(progress, () => answerCall(call, reader));
    if (request.opensLinks === true && outcome.kind === 'failed') {
      const asks = askToConnect(outcome.error, request.era);
      if (asks !== null) return asks;
    }
    return {
      outcome: request.links ? outcome : withoutLinks(outcome),
      promised: promisesStructure(request.context.view.server, call.tool),
      hint: isIndirect ? schemaHint(outcome, call.tool) : '',
    };
  }

  function answerBuiltIn(
    answer: Exclude<BuiltInAnswer, { readonly toolName: string }>,
    args: PlainObject,
    request: McpRequest,
  ) {
    if (!('run' in answer)) {
      if (answer.unknownTool !== undefined) refuse(answer.unknownTool, args, request);
      return answer.answer();
    }
    const { client, surface, signal, headers, traceparent, progress } = request;
    const origin = { client, surface, signal, clientHeaders: headers, traceparent };
    if (progress === null) return answer.run(origin);
    let what = 'Running the script';
    const runBuiltIn = () =>
      answer.run({
        ...origin,
        onCall: ({ path }, made) => {
          what = `Call ${made}: ${path}`;
        },
      });
    return whileReporting(progress, runBuiltIn, () => what);
  }

  /** Records a call that is not made. */
  function refuse(toolName: string, args: unknown, { context, client, surface }: McpRequest): void {
    const { view, caller } = context;
    calls.refuseTool({ view, toolName, caller, client, surface, arguments: args });
  }

  return {
    open,
    run,
    refuse,
    /** A call of a tool with nothing beyond its one request. */
    make: (toolName: string, args: unknown, request: McpRequest) => make(toolName, args, noFollowUp, request),
  };
}

// The code of earlier revisions for a request that needs the user to open a link first.
const urlElicitationRequired = -32_042;

/** Asks the client to open the link where its person connects an account; null if the call failed for another reason. */
function askToConnect({ message, details }: HandrailError, era: Era): ToolResult | null {
  const { connect } = details;
  if (connect === undefined) return null;
  const { api, url, id: elicitationId } = connect;
  const shown = `Connect your own account at ${api} to continue.`;
  if (era === 'modern') {
    const asks = {
      resultType: 'input_required',
      inputRequests: {
        connect: { method: 'elicitation/create', params: { mode: 'url', message: shown, url } },
      },
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is the one of earlier revisions, with an id
    return { asks: asks as unknown as InputRequiredResult };
  }
  throw new RpcFault(urlElicitationRequired, message, {
    elicitations: [{ mode: 'url', elicitationId, url, message: shown }],
  });
}

const progressEveryMs = 2_000;

/** Reports elapsed seconds while something runs, because an API doesn't report its progress. */
export async function whileReporting<T>(
  progress: ReportProgress,
  run: () => Promise<T>,
  what: () => string = () => 'Waiting for the API',
): Promise<T> {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    progress(seconds, `${what()}, ${seconds} s so far`);
  }, progressEveryMs);
  timer.unref?.();
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}

/** Reports how many records were received, page by page. */
function reportPages(progress: ReportProgress): FollowUp['report'] {
  let last = -1;
  return ({ pages, records, total }) => {
    // Reported progress must increase.
    if (records <= last) return;
    last = records;
    progress(
      records,
      `${counted(records, 'record')} of ${counted(pages, 'page')} so far`,
      total !== null && total >= records ? total : undefined,
    );
  };
}

/** Whether a call failed because of what its caller sent. */
export function isBadRequest(outcome: Outcome): boolean {
  return (
    outcome.kind === 'failed' && outcome.error.fault === 'caller' && outcome.error.retry === 'after-change'
  );
}
