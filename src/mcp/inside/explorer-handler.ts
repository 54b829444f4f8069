import type { createHandler, IncomingRequest, Tool, ToolCallReturn } from '#explorer';
import type { Logger } from 'pino';
import type { AnswerCall } from '../../calls/answer-call.ts';
import type { CallMaker } from '../../calls/make-call.ts';
import type { Caller } from '../../domain/call.ts';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { listModes, type ListMode } from '../../domain/server.ts';
import { waitingText } from '../../domain/waiting.ts';
import { toolsFor } from '../../registry/callable-tools.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { type BuiltInWatch, createBuiltInTools } from '../built-in/built-in-tools.ts';
import { listedDefinitions } from '../built-in/definitions.ts';
import type { RunCode } from '../built-in/run-code.ts';
import type { ToolSearch } from '../built-in/tool-search.ts';
import { createCallTool } from '../core/call-tool.ts';
import type { McpRequest } from '../core/request.ts';
import { dialects } from '../dialects/dialects.ts';
import { allowsMode } from '../modes/serving-modes.ts';
import { shownTools } from '../render/render-tools.ts';
import { suggestTool } from '../render/suggest-tool.ts';

/** An explorer of one server for one caller. */
export type ExplorerHandler = (request: Request, prefix?: string) => Promise<Response>;

/** What the explorer's calls need. */
export interface ExplorerDependencies {
  readonly calls: CallMaker;
  readonly answerCall: AnswerCall;
  readonly search: ToolSearch;
  readonly replies: Replies;
  readonly builtInWatch: BuiltInWatch;
  readonly runCode?: RunCode | undefined;
  readonly log: Pick<Logger, 'error'>;
}

/** Creates the explorer of a server. `mode` is how a client sees it; without one, every tool is shown in full. */
export function makeExplorerHandler(
  create: typeof createHandler,
  { calls, answerCall, search, replies, builtInWatch, runCode, log }: ExplorerDependencies,
  view: ServerView,
  caller: Caller,
  mode: ListMode | undefined,
  /** The headers of a page's request that its calls may carry on. */
  headersOf: (headers: IncomingRequest['headers']) => Readonly<Record<string, string>> = withoutCookies,
): ExplorerHandler {
  const callTool = createCallTool({
    calls,
    // People read the whole reply, unless they select a part of it as a model would.
    answerCall: (made, reader) => answerCall(made, reader?.select === undefined ? undefined : reader),
    builtIn: createBuiltInTools(search, replies, builtInWatch, runCode),
    native: () => undefined,
  });

  const requestOf = (request: IncomingRequest): McpRequest => ({
    context: { view, caller, mode },
    era: 'modern',
    client: { name: 'handrail-explorer' },
    surface: 'explorer',
    signal: request.signal ?? new AbortController().signal,
    headers: headersOf(request.headers),
    traceparent: request.headers['traceparent'],
    dialect: dialects.strict,
    links: true,
    listChanged: false,
    progress: null,
  });

  async function call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    incoming: IncomingRequest,
  ): Promise<ToolCallReturn> {
    const request = requestOf(incoming);
    const opened = callTool.open(name, args, request);
    if (opened.kind === 'native' || opened.kind === 'unknown') {
      callTool.refuse(name, args, request);
      throw httpErrors.unknownTool({ name, suggestion: suggestTool(view, caller, name) });
    }
    const result = await callTool.run(opened, args, request);
    if ('given' in result) return [result.given.content, result.given.isError === true];
    // Only an MCP client that opens links is asked to.
    if ('asks' in result) throw new Error('The explorer was asked for something it did not declare.');
    const { outcome, hint } = result;
    const id = opened.kind === 'call' ? opened.call.id : undefined;
    switch (outcome.kind) {
      case 'done':
        return [[...outcome.output.content], false, id];
      case 'failed':
        return [
          [{ type: 'text', text: `${outcome.error.message}${hint}` }],
          true,
          id,
          outcome.error.details.upstreamStatus,
        ];
      case 'waiting':
        return [[{ type: 'text', text: waitingText(outcome.waiting) }], true, id];
    }
  }

  return create(
    mode === undefined ? wholeTools(view, caller) : listedTools(view, caller, mode, replies),
    call,
    {
      allowExecute: view.server.explorerReadOnly !== true,
      title: view.server.name,
      modes: listModes.filter((one) => allowsMode(view.server, one)),
      about: true,
      projectName: 'Handrail',
      onError: (err, site) => log.error({ err, ...site }, 'explorer request failed'),
    },
  );
}

/** Every tool with its full schemas. */
function wholeTools(view: ServerView, caller: Caller): readonly Tool[] {
  return toolsFor(view, caller).map(
    ({ name, description, compiled: { tool, inputSchema, outputSchema } }) => ({
      name,
      description,
      ...(tool.title !== undefined && { title: tool.title }),
      inputSchema,
      outputSchema,
      annotations: { ...tool.annotations },
    }),
  );
}

/** Exactly what `tools/list` returns in a mode, for a client that supports all of JSON Schema. */
function listedTools(view: ServerView, caller: Caller, mode: ListMode, replies: Replies): readonly Tool[] {
  const { before, after } = listedDefinitions(view, caller, mode, replies);
  const own = mode === 'direct' ? shownTools(view, toolsFor(view, caller), dialects.strict) : [];
  return [...before, ...own, ...after].map(asTool);
}

function asTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ReturnType<typeof shownTools>[number]): Tool {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations: { ...annotations } }),
  };
}

// Browsers attach cookies automatically, and they may include an operator's session.
function withoutCookies(headers: IncomingRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[0] !== 'cookie',
    ),
  );
}
