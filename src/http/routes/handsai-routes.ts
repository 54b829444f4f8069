import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/call.ts';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { HandrailError, toHandrailError } from '../../domain/errors.ts';
import { type FollowUp, readFollowUp } from '../../domain/pages/follow-up.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { waitingText } from '../../domain/waiting.ts';
import { parseStrictJson, StrictJsonError } from '../../lib/json/strict/strict-json.ts';
import { type Dialect, dialectParameter, dialects, isDialectName } from '../../mcp/dialects/dialects.ts';
import { renderDialect } from '../../mcp/dialects/render-dialect.ts';
import { shownNames } from '../../mcp/dialects/shown-names.ts';
import { toolsFor } from '../../registry/callable-tools.ts';
import { ownName } from '../../mcp/render/render-tools.ts';
import { maxIdBytes, overlong } from '../../mcp/request-ids.ts';
import { suggestTool } from '../../mcp/render/suggest-tool.ts';
import type { Outcome } from '../../pipeline/call.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import { viewWaiting } from '../waiting-view.ts';
import { sendProblem } from '../problem.ts';
import type { AppContext } from '../app-context.ts';
import { findServer, type FoundServer } from '../find-server.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { makeRestCall } from '../rest-call.ts';

type RequestId = string | number | undefined;

/** A JSON-RPC error of this surface; always sent with HTTP 200. */
class RpcError extends Error {
  readonly code: number;
  readonly id: RequestId;

  constructor(code: number, message: string, id?: RequestId) {
    super(message);
    this.code = code;
    this.id = id;
  }
}

/** HandsAI's REST surface: list and call the default server's tools without an MCP client. */
export function mountHandsaiRoutes(app: FastifyInstance, context: AppContext): void {
  const findDefault = (request: FastifyRequest): Promise<FoundServer> => {
    // The existence of the default server is not a secret.
    if (context.listedView(defaultServerSlug) === undefined) throw httpErrors.defaultServerDisabled();
    return findServer(context, defaultServerSlug, request.raw, 'rest');
  };

  async function list(
    request: FastifyRequest,
    reply: FastifyReply,
    readId: () => RequestId,
  ): Promise<FastifyReply> {
    const { view, caller } = await findDefault(request);
    try {
      const id = readId();
      const dialect = dialectOf(request);
      const tools = toolsFor(view, caller)
        .filter((listed) => isListed(context, listed))
        .map((listed) => listedIn(dialect, view, listed));
      return sendRpc(reply, { jsonrpc: '2.0', result: { tools }, ...(id !== undefined && { id }) });
    } catch (error) {
      if (error instanceof RpcError) return sendRpc(reply, errorBody(error.code, error.message, error.id));
      context.log.error({ err: error }, 'tool discovery failed');
      return sendRpc(reply, {
        jsonrpc: '2.0',
        error: { code: -32603, message: 'Internal error discovering tools' },
      });
    }
  }

  app.get('/mcp/tools/list', (request, reply) => list(request, reply, () => undefined));
  // As a JSON-RPC call; without a body, the same as GET.
  app.post('/mcp/tools/list', (request, reply) =>
    list(request, reply, () => {
      const bytes = bodyOf(request);
      return isBlank(bytes) ? undefined : readEnvelope(bytes, 'tools/list').id;
    }),
  );

  app.post('/mcp/tools/call', async (request, reply) => {
    try {
      const { view, caller } = await findDefault(request);
      const { name, args, id, followUp } = readRequest(bodyOf(request));
      const gone = new AbortController();
      const onClose = () => gone.abort();
      reply.raw.once('close', onClose);
      const own = ownName(view, name, dialectOf(request));
      const outcome = await call(request, view, caller, own, args, id, gone.signal, followUp);
      reply.raw.off('close', onClose);
      const text = JSON.stringify(toRpc(outcome, id));
      // Serializing a long result took a while, and sending it will too: let other requests run in between.
      if (text.length > longText) await nextTurn();
      return await sendText(reply, text);
    } catch (error) {
      if (error instanceof RpcError) return sendRpc(reply, errorBody(error.code, error.message, error.id));
      const failure = toHandrailError(error);
      if (failure.code === 'internal') context.log.error({ err: failure.cause }, 'a REST call failed');
      return sendProblem(reply, failure);
    }
  });

  function call(
    request: FastifyRequest,
    view: ServerView,
    caller: Caller,
    name: string,
    args: unknown,
    id: RequestId,
    signal: AbortSignal,
    followUp: FollowUp,
  ): Promise<Outcome> {
    const made = makeRestCall(context, request, { view, caller, name, args, followUp, signal });
    if (made === null) {
      const suggestion = suggestTool(view, caller, name);
      throw new RpcError(
        -32602,
        `Invalid params: tool not found: ${name}${suggestion === '' ? '' : `.${suggestion}`}`,
        id,
      );
    }
    return context.answerCall(made);
  }
}

// Without `?dialect=`, schemas are complete and names are the server's own, regardless of the server's dialect setting.
function dialectOf(request: FastifyRequest): Dialect {
  const name = dialectParameter(request.raw);
  if (name === undefined) return dialects.strict;
  if (isDialectName(name)) return dialects[name];
  throw new RpcError(
    -32602,
    `Invalid params: there is no dialect "${name.slice(0, 60)}". Use one of: ${Object.keys(dialects).join(', ')}`,
  );
}

function listedIn(dialect: Dialect, view: ServerView, { name, description, compiled }: ListedTool): object {
  const whole = { name, description, inputSchema: { ...compiled.inputSchema, type: 'object' as const } };
  if (dialect.rules === null) return whole;
  const { tool } = renderDialect(whole, dialect);
  const shown = shownNames(view, dialect).renamed.get(name) ?? name;
  return { name: shown, description: tool.description, inputSchema: tool.inputSchema };
}

// Tools of an API that is down are hidden, unless the operator wants them listed.
function isListed({ health }: AppContext, { compiled }: ListedTool): boolean {
  return compiled.api.listUnhealthy === true || health.isHealthy(compiled.api.id);
}

function bodyOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

const missing = 'Invalid params: missing required parameters';

/** Reads a call, checking in the order that HandsAI's contract prescribes; each problem has its own code. */
function readRequest(bytes: Uint8Array): {
  name: string;
  args: unknown;
  id: RequestId;
  followUp: FollowUp;
} {
  const { id, params } = readEnvelope(bytes, 'tools/call');
  if (params === undefined || params === null) throw new RpcError(-32602, missing, id);
  if (!isObject(params)) throw new RpcError(-32602, 'Invalid params: params must be an object', id);
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || name === '')
    throw new RpcError(-32602, 'Invalid params: name is required', id);
  const followUp = readFollowUp(params, '');
  if ('problem' in followUp) throw new RpcError(-32602, `Invalid params: ${followUp.problem}`, id);
  return { name, args: args ?? {}, id, followUp };
}

/** Reads a JSON-RPC request of one method. */
function readEnvelope(
  bytes: Uint8Array,
  expected: string,
): { readonly id: RequestId; readonly params: unknown } {
  if (isBlank(bytes)) throw new RpcError(-32602, missing);
  let body: unknown;
  try {
    body = parseStrictJson(bytes);
  } catch (error) {
    throw new RpcError(
      -32700,
      `Parse error: ${error instanceof StrictJsonError ? error.message : 'the body is not valid JSON'}`,
    );
  }
  if (body === null) throw new RpcError(-32602, missing);
  if (!isObject(body))
    throw new RpcError(-32600, 'Invalid Request: the body must be a JSON-RPC request object');
  const what = overlong(body);
  if (what !== null)
    throw new RpcError(-32600, `Invalid Request: ${what} is longer than ${maxIdBytes} bytes`);
  const { jsonrpc, method, params, id: givenId } = body;
  const id = typeof givenId === 'string' || typeof givenId === 'number' ? givenId : undefined;
  if (jsonrpc !== '2.0') throw new RpcError(-32600, 'Invalid Request: jsonrpc must be "2.0"', id);
  if (typeof method !== 'string') throw new RpcError(-32600, 'Invalid Request: method is required', id);
  if (givenId !== undefined && givenId !== null && id === undefined)
    throw new RpcError(-32600, 'Invalid Request: id must be a string or a number');
  if (method !== expected) throw new RpcError(-32601, `Method not found: ${method}`, id);
  return { id, params };
}

function toRpc(outcome: Outcome, id: RequestId): object {
  switch (outcome.kind) {
    case 'done':
      return { jsonrpc: '2.0', result: { content: outcome.output.content }, ...(id !== undefined && { id }) };
    case 'failed':
      return failed(outcome.error, id);
    case 'waiting':
      return errorBody(-32001, waitingText(outcome.waiting), id, viewWaiting(outcome.waiting));
  }
}

function failed(error: HandrailError, id: RequestId): object {
  switch (error.code) {
    case 'invalid_arguments':
    case 'unsafe_value':
    case 'argument_blocked':
      return errorBody(-32602, `Invalid params: ${error.message}`, id);
    case 'upstream_timeout':
      return errorBody(-32603, 'Internal error: Connection timeout', id);
    default:
      return errorBody(-32603, `Internal error: ${error.message}`, id);
  }
}

function errorBody(code: number, message: string, id: RequestId, data?: object): object {
  return {
    jsonrpc: '2.0',
    error: { code, message, ...(data !== undefined && { data }) },
    ...(id !== undefined && { id }),
  };
}

function sendRpc(reply: FastifyReply, body: object): FastifyReply {
  return sendText(reply, JSON.stringify(body));
}

// Sending a string measures it first and encodes it afterwards; for long text, a buffer avoids doing that twice.
const longText = 256 * 1024;

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json').send(text.length > longText ? Buffer.from(text) : text);
}
