import type { CallToolResult } from '@modelcontextprotocol/server';
import { findCallable } from '../../registry/callable-tools.ts';
import type { CodeRequest } from '../../code/code-runs.ts';
import { directoryOf } from '../../code/tool-directory.ts';
import type { Caller } from '../../domain/call.ts';
import { HandrailError } from '../../domain/errors.ts';
import { type FollowUp, readFollowUp } from '../../domain/pages/follow-up.ts';
import { isBuiltInToolName } from '../../domain/names.ts';
import type { ListMode, Server } from '../../domain/server.ts';
import { kindOf, type ToolKind } from '../../domain/tool.ts';
import { parseStrictJsonText, StrictJsonError } from '../../lib/json/strict/strict-json.ts';
import { suggestTool } from '../render/suggest-tool.ts';
import { counted } from '../../lib/text/amounts.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { Replies } from '../../replies/open-replies.ts';
import type { LookUpKind } from '../../upstream/policies/rate-limit.ts';
import { describeTools } from './describe-tools.ts';
import { refusal } from './refusal.ts';
import { readQuery, searchAnswer } from './search-tools.ts';
import { readReply } from './read-reply.ts';
import { allowsMode } from '../modes/serving-modes.ts';
import { type RunCode, runResult } from './run-code.ts';
import { readSelectOf } from './own-arguments.ts';
import { requestUpload } from './request-upload.ts';
import { schemaText } from './schema-hint.ts';
import type { ToolSearch } from './tool-search.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What a call of a built-in tool results in: an answer, or a call of another tool. */
export type BuiltInAnswer =
  | {
      readonly answer: () => CallToolResult | Promise<CallToolResult>;
      /** The requested tool, if it doesn't exist. */
      readonly unknownTool?: string;
    }
  | {
      readonly toolName: string;
      readonly arguments: Arguments;
      /** Picks what to read of the reply. */
      readonly select?: string | undefined;
      readonly followUp: FollowUp;
    }
  | { readonly run: (origin: RunOrigin) => Promise<CallToolResult> };

/** Where a script comes from: everything a surface knows besides the server and the caller. */
export type RunOrigin = Omit<CodeRequest, 'view' | 'caller' | 'code'>;

/** The built-in tools, which every server has. */
export interface BuiltInTools {
  /** Undefined if there is no such tool. */
  open(
    name: string,
    args: Arguments,
    view: ServerView,
    caller: Caller,
    mode?: ListMode,
  ): BuiltInAnswer | undefined;
}

const callTools: Readonly<Record<string, ToolKind>> = {
  call_read: 'read',
  call_write: 'write',
  call_destructive: 'destructive',
};

/** Whether this is the name of a tool that calls other tools. */
export function isCallToolName(name: string): boolean {
  return Object.hasOwn(callTools, name);
}

/** Limits and counts the tools that call no other tool, since they have no call record. */
export interface BuiltInWatch {
  /** Throws if the caller has made too many lookups in the last minute. */
  admit(server: Server, caller: Caller, kind: LookUpKind): void | Promise<void>;
  count(toolName: string, serverSlug: string, outcome: 'ok' | 'failed' | 'rate_limited'): void;
}

const unwatched: BuiltInWatch = { admit: () => {}, count: () => {} };

export function createBuiltInTools(
  search: ToolSearch,
  replies: Replies,
  watch: BuiltInWatch = unwatched,
  runCode?: RunCode,
): BuiltInTools {
  async function find(
    args: Arguments,
    view: ServerView,
    caller: Caller,
    mode: ListMode | undefined,
  ): Promise<CallToolResult> {
    const query = readQuery(args);
    if ('content' in query) return query;
    const inCode = mode === 'code' ? { pathOf: directoryOf(view).pathOf, server: view.server } : undefined;
    return searchAnswer(await search.find(view, caller, query), query, inCode);
  }

  async function run(
    { code }: Arguments,
    view: ServerView,
    caller: Caller,
    origin: RunOrigin,
  ): Promise<CallToolResult> {
    if (typeof code !== 'string' || code.trim() === '')
      return refusal(
        'code must be a string: the body of an async function, such as return await search("…").',
      );
    if (runCode === undefined || !allowsMode(view.server, 'code'))
      return refusal('Scripts are not allowed on this server: call tools one by one, or ask its operator.');
    return runResult(replies.budget, await runCode({ ...origin, view, caller, code }));
  }

  type LookUp = (
    args: Arguments,
    view: ServerView,
    caller: Caller,
    mode: ListMode | undefined,
  ) => CallToolResult | Promise<CallToolResult>;
  const lookUps: Readonly<Record<string, LookUp>> = {
    search_tools: find,
    describe_tools: (args, view, caller) => describeTools(view, caller, args),
    read_reply: (args, view, caller) => readReply(replies, view, caller, args),
    request_upload: (_args, view, caller) => requestUpload(replies, view, caller),
  };

  async function watched(
    name: string,
    server: Server,
    caller: Caller,
    answer: () => CallToolResult | Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    try {
      await watch.admit(server, caller, name === 'read_reply' ? 'read' : 'look-up');
    } catch (error) {
      if (!(error instanceof HandrailError)) throw error;
      watch.count(name, server.slug, 'rate_limited');
      const seconds = Math.ceil((error.details.retryAfterMs ?? 1_000) / 1_000);
      return refusal(`${error.message} Try again in ${counted(seconds, 'second')}.`);
    }
    const result = await answer();
    watch.count(name, server.slug, result.isError === true ? 'failed' : 'ok');
    return result;
  }

  return {
    open(name, args, view, caller, mode = listModeOf(view.server)) {
      if (!isBuiltInToolName(name)) return undefined;
      if (name === 'run_code')
        return {
          run: (origin) => watched(name, view.server, caller, () => run(args, view, caller, origin)),
        };
      const kind = callTools[name];
      if (kind) return openCallTool(name, kind, args, view, caller);
      const answer = lookUps[name];
      if (answer === undefined) return undefined;
      return {
        answer: () => watched(name, view.server, caller, () => answer(args, view, caller, mode)),
      };
    },
  };
}

// What `auto` resolves to makes no difference to how tools are used.
function listModeOf({ mode }: Server): ListMode | undefined {
  return mode === 'auto' ? undefined : mode;
}

function openCallTool(
  callTool: string,
  kind: ToolKind,
  args: Arguments,
  view: ServerView,
  caller: Caller,
): BuiltInAnswer {
  const { name } = args;
  const inner = readArguments(args['arguments']);
  if (typeof name !== 'string')
    return { answer: () => refusal(`name must be the name of a tool, as returned by search_tools.`) };
  const listed = findCallable(view, caller, name);
  if (listed === undefined)
    return {
      answer: () =>
        refusal(
          `There is no tool "${name.slice(0, 100)}" here: find its name with search_tools.${suggestTool(view, caller, name)}`,
        ),
      unknownTool: name,
    };
  const own = kindOf(listed.compiled.tool);
  if (own !== kind)
    return {
      answer: () => refusal(`"${name}" is a ${own} tool, which ${callTool} does not call: use call_${own}.`),
    };
  if (!isArguments(inner))
    return {
      answer: () =>
        refusal(
          `arguments must be an object with the arguments of "${name}".\n${schemaText(listed.compiled)}`,
        ),
    };
  const read = readSelectOf(args['select']);
  if ('refused' in read) return { answer: () => read.refused };
  const followUp = readFollowUp(args, '');
  if ('problem' in followUp) return { answer: () => refusal(`${followUp.problem} The call was not made.`) };
  return { toolName: name, arguments: inner, select: read.select, followUp };
}

/** Some models write the arguments as JSON text. */
function readArguments(given: unknown): unknown {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return {};
  try {
    return parseStrictJsonText(given);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return given;
  }
}

function isArguments(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
