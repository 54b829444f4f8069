import { PerRequestHTTPServerTransport } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/call.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { assumedLegacyRevision, modernRevision } from '../context.ts';
import type { Era, McpContext } from '../context.ts';
import type { Dialect } from '../dialects/dialects.ts';
import { toolFilterKey } from '../sessions/list-changes.ts';
import { buildServer } from '../sdk/sdk-server.ts';
import type { ExchangeContext, SdkDependencies } from '../sdk/sdk-server.ts';

/** A request whose answer is the same for everyone who may see it. */
export interface PreparedRequest {
  readonly era: Era;
  readonly method: 'tools/list' | 'server/discover' | 'initialize';
  /** The revision an `initialize` asks for. */
  readonly revision?: string;
  /** Whether the client can hear of changes, which its capabilities tell. */
  readonly listChanged: boolean;
}

const maxAnswersPerView = 32;
const idPlace = ',"jsonrpc":"2.0","id":0}';

/**
 * Keeps the answers to the list-like requests of a server as bytes that end where the request's id goes. Each is made
 * once by the SDK's own protocol object, asked in memory, so that the kept bytes are its words; a changed server is a
 * new view and begins empty.
 */
export function createPreparedAnswers(dependencies: SdkDependencies) {
  const views = new WeakMap<ServerView, Map<string, Answer>>();

  function answersOf(view: ServerView): Map<string, Answer> {
    let answers = views.get(view);
    if (!answers) views.set(view, (answers = new Map()));
    return answers;
  }

  return {
    /** The answer, when it was made before. */
    ready(context: McpContext, request: PreparedRequest, dialect: Dialect): Buffer | undefined {
      return views.get(context.view)?.get(answerKey(context, request, dialect))?.bytes;
    },

    /** The answer, made once for all who ask for it meanwhile. */
    async make(context: McpContext, request: PreparedRequest, dialect: Dialect): Promise<Buffer> {
      const answers = answersOf(context.view);
      const key = answerKey(context, request, dialect);
      const under = answers.get(key);
      if (under) return under.making;
      if (answers.size >= maxAnswersPerView) answers.delete(answers.keys().next().value!);
      const answer: Answer = { making: prepare(dependencies, context, request, dialect) };
      answers.set(key, answer);
      try {
        return (answer.bytes = await answer.making);
      } catch (error) {
        answers.delete(key);
        throw error;
      }
    },
  };
}

/** An answer that is being made, and what it became. */
interface Answer {
  readonly making: Promise<Buffer>;
  bytes?: Buffer;
}

function answerKey(
  { mode = 'direct', caller }: McpContext,
  request: PreparedRequest,
  dialect: Dialect,
): string {
  // Only the answer's cache scope depends on whether a caller was known, and that follows from the server's policy.
  return `${request.method} ${mode} ${request.era} ${request.revision ?? ''} ${request.listChanged} ${dialect.name} ${toolFilterKey(caller)}`;
}

type AnswerFor = (caller: Caller, withoutOwnTools: boolean) => Promise<string>;

async function prepare(
  dependencies: SdkDependencies,
  context: McpContext,
  request: PreparedRequest,
  dialect: Dialect,
): Promise<Buffer> {
  // Each part of a long list is made for a caller who may call only those tools. Whether the answer may be shared between
  // callers is decided by the real one.
  const filtered = context.caller.toolIds !== undefined;
  const answerFor: AnswerFor = (caller, withoutOwnTools) =>
    answerWith(dependencies, { ...context, caller }, request, dialect, {
      filtered,
      withoutOwnTools,
      ownToolsFor: context.caller,
    });
  const { tools, server } = context.view;
  const isLong =
    request.method === 'tools/list' &&
    (context.mode ?? 'direct') === 'direct' &&
    tools.length > toolsAtOnce &&
    server.pageSize === undefined;
  const text =
    (isLong ? await answerInParts(context, answerFor) : null) ?? (await answerFor(context.caller, false));
  // The protocol object writes the result first and the id last; anything else could not be continued with another id.
  if (!text.startsWith('{"result":') || !text.endsWith(idPlace))
    throw new Error(`Unexpected answer to ${request.method}`);
  return Buffer.from(text.slice(0, -2));
}

const toolsAtOnce = 50;

/**
 * The list of a server with very many tools, made some tools at a time and put together, so that making it does not hold
 * up calls. Null when the answers cannot be put together.
 */
async function answerInParts({ view, caller }: McpContext, answerFor: AnswerFor): Promise<string | null> {
  const ids = view.tools
    .map((listed) => listed.compiled.tool.id)
    .filter((id) => caller.toolIds === undefined || caller.toolIds.has(id));
  const nothing = { ...caller, toolIds: new Set<string>() };
  const [start, end] = (await answerFor(nothing, true)).split('"tools":[]');
  if (start === undefined || end === undefined) return null;
  const inside = (text: string): string | null =>
    text.startsWith(`${start}"tools":[`) && text.endsWith(`]${end}`)
      ? text.slice(start.length + '"tools":['.length, -(end.length + 1))
      : null;
  const own = inside(await answerFor(nothing, false));
  if (own === null) return null;
  const parts: string[] = own === '' ? [] : [own];
  for (let at = 0; at < ids.length; at += toolsAtOnce) {
    await new Promise((resolve) => setImmediate(resolve));
    const some = { ...caller, toolIds: new Set(ids.slice(at, at + toolsAtOnce)) };
    const part = inside(await answerFor(some, true));
    if (part === null) return null;
    parts.push(part);
  }
  return `${start}"tools":[${parts.join(',')}]${end}`;
}

async function answerWith(
  dependencies: SdkDependencies,
  context: McpContext,
  request: PreparedRequest,
  dialect: Dialect,
  how: Pick<ExchangeContext, 'filtered' | 'withoutOwnTools' | 'ownToolsFor'>,
): Promise<string> {
  const server = buildServer(dependencies, {
    context,
    era: request.era,
    side: { client: null, surface: 'mcp', headers: null },
    listChanged: request.listChanged,
    ...how,
    dialect: () => dialect,
  });
  return request.era === 'modern' ? askModern(server, request) : askLegacy(server, request);
}

async function askModern(server: ReturnType<typeof buildServer>, request: PreparedRequest): Promise<string> {
  const transport = new PerRequestHTTPServerTransport({
    classification: { era: 'modern', revision: modernRevision },
    responseMode: 'json',
  });
  await server.connect(transport);
  const response = await transport.handleMessage({
    jsonrpc: '2.0',
    id: 0,
    method: request.method,
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernRevision,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  return response.text();
}

async function askLegacy(server: ReturnType<typeof buildServer>, request: PreparedRequest): Promise<string> {
  const answers = new Map<unknown, (message: JSONRPCMessage) => void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => answers.get('id' in message ? message.id : undefined)?.(message),
  };
  const send = (id: number, method: string, params: Record<string, unknown>) =>
    new Promise<JSONRPCMessage>((resolve) => {
      answers.set(id, resolve);
      transport.onmessage?.({ jsonrpc: '2.0', id, method, params });
    });
  await server.connect(transport);
  const initialize = {
    protocolVersion: request.revision ?? assumedLegacyRevision,
    capabilities: {},
    clientInfo: { name: 'unknown', version: '0' },
  };
  if (request.method !== 'initialize') await send(1, 'initialize', initialize);
  const answer = await send(0, request.method, request.method === 'initialize' ? initialize : {});
  void server.close();
  return JSON.stringify(answer);
}
