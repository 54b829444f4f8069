import { failure } from './responses.ts';
import { dispatch } from './dispatch.ts';
import { normalizePrefix, pathOfTarget } from './paths.ts';
import { readChunks, readGivenBody } from './request-body.ts';
import type { RequestBody } from './request-body.ts';
import { headerOf, toHeaderRecord } from './request-headers.ts';
import { createAnswer, maxBodyBytesOf, reporterOf } from './routes.ts';
import type { IncomingRequest, ToolCallHandler, ToolsProvider, UIConfig } from './types.ts';

/** The part of Node's `IncomingMessage` that is used, so that compiling against this needs no Node types. */
export interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  readonly readableDidRead?: boolean;
  /** Every readable stream has it; stand-ins for requests in other people's tests may not. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array | string>;
  resume?(): unknown;
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  readonly headersSent?: boolean;
  readonly writableEnded?: boolean;
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  end(chunk?: string | Uint8Array): unknown;
  destroy?(): unknown;
  on?(event: 'close', listener: () => void): unknown;
}

/** The options, and the path the handler is mounted at. */
export interface NodeHandlerConfig extends UIConfig {
  prefix?: string;
}

/** A handler for `node:http`, Express, Fastify and anything else that passes on Node's request and response. */
export function createNodeHandler(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  config: NodeHandlerConfig = {},
): (request: NodeRequest, response: NodeResponse) => void {
  const answer = createAnswer(tools, handleCall, config);
  const maxBytes = maxBodyBytesOf(config);
  const prefix = normalizePrefix(config.prefix ?? '');
  const onError = reporterOf(config);

  return (request, response) => {
    const gone = new AbortController();
    response.on?.('close', () => {
      if (response.writableEnded !== true) gone.abort();
    });
    const incoming: IncomingRequest = {
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: toHeaderRecord(Object.entries(request.headers)),
      signal: gone.signal,
      raw: request,
    };
    const path = pathOfTarget(request.url ?? '/');
    dispatch(answer, incoming, path, prefixLeft(request, prefix), {
      read: () => readNode(request, maxBytes),
      onParsed: (value) => (incoming.body = value),
    })
      .then((answered) => send(answered, response))
      .catch((error: unknown) => {
        onError(error, { during: 'request' });
        if (response.headersSent === true) response.destroy?.();
        else void send(failure(500, 'Internal server error'), response);
      });
  };
}

/** Express removes the mount path from `url` and keeps it in `baseUrl`. */
function prefixLeft(request: NodeRequest, prefix: string): string {
  const { baseUrl } = request as { baseUrl?: unknown };
  return typeof baseUrl === 'string' && prefix !== '' && baseUrl.endsWith(prefix) ? '' : prefix;
}

/** The body from the stream, or from `request.body` if a body parser has already read the stream. */
async function readNode(request: NodeRequest, maxBytes: number): Promise<RequestBody> {
  if (request.readableDidRead === true || request.iterator === undefined) {
    return readGivenBody((request as { body?: unknown }).body ?? unreadStream(request), maxBytes);
  }
  if (Number(headerOf(request.headers, 'content-length') ?? 0) > maxBytes) return { kind: 'too-large' };
  const body = await readChunks(request.iterator({ destroyOnReturn: false }), maxBytes);
  // The rest is discarded: closing the connection on a sender that is still writing would lose the response.
  if (body.kind === 'too-large') request.resume?.();
  return body;
}

/** `Set-Cookie` is copied separately; the others describe bytes that `arrayBuffer` has decoded. */
const framingHeaders = new Set([
  'set-cookie',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
]);

async function send(answer: Response, response: NodeResponse): Promise<void> {
  const headers: Record<string, string | string[]> = {};
  answer.headers.forEach((value, name) => {
    if (!framingHeaders.has(name)) headers[name] = value;
  });
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes.byteLength > 0) headers['content-length'] = String(bytes.byteLength);
  const text = isText(answer) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : null;
  response.writeHead(answer.status, headers);
  response.end(text ?? bytes);
}

/** Our own responses are UTF-8 and sent as text; a hook's response is sent as bytes. */
function isText({ headers }: Response): boolean {
  return (
    ownTypes.has(headers.get('content-type') ?? '') && headers.get('x-content-type-options') === 'nosniff'
  );
}

const ownTypes = new Set(['application/json', 'text/html; charset=utf-8']);

/** A request that is iterable but isn't a Node stream. */
function unreadStream(request: NodeRequest): unknown {
  return request.readableDidRead !== true && Symbol.asyncIterator in request ? request : undefined;
}
