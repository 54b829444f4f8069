import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { type HandrailError, toHandrailError } from '../../domain/errors.ts';
import { readFollowUp } from '../../domain/pages/follow-up.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { waitingText } from '../../domain/waiting.ts';
import { isObject, objectOr, textOr } from '../../lib/json/plain-object.ts';
import { parseStrictJson, StrictJsonError } from '../../lib/json/strict/strict-json.ts';
import { WeakCache } from '../../lib/weak-cache.ts';
import { entityTag } from '../../mcp/render/server-card.ts';
import { suggestTool } from '../../mcp/render/suggest-tool.ts';
import type { Output } from '../../pipeline/reply/reply.ts';
import { toolsFor } from '../../registry/callable-tools.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { AppContext } from '../app-context.ts';
import { findServer } from '../find-server.ts';
import { sendProblem } from '../problem.ts';
import { makeRestCall } from '../rest-call.ts';
import { serverOpenapi } from '../server-openapi.ts';
import { viewWaiting } from '../waiting-view.ts';

/** Each server as plain REST, for what speaks OpenAPI and not MCP: its document, and one route for its tools. */
export function mountServerRestRoutes(app: FastifyInstance, context: AppContext): void {
  const { registry, publicUrl } = context;
  // Of callers who see every tool, which are nearly all.
  const documents = new WeakCache<ServerView, { readonly at: string; readonly text: string }>();

  async function describe(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const slug = textOr(objectOr(request.params)['slug']) ?? defaultServerSlug;
    const found = await findServer(context, slug, request.raw, null);
    // Without notes on APIs that are down, which would be in the document for good.
    const view = registry.snapshot.view(slug) ?? found.view;
    const gateway = publicUrl();
    const seesAll = found.caller.toolIds === undefined;
    const kept = seesAll ? documents.get(view) : undefined;
    const text =
      kept?.at === gateway
        ? kept.text
        : JSON.stringify(
            serverOpenapi(view.server, toolsFor(view, found.caller), {
              url: `${gateway}/mcp/${slug}`,
              gateway,
            }),
          );
    if (seesAll) documents.set(view, { at: gateway, text });
    const tag = entityTag(text);
    void reply.header('etag', tag).header('cache-control', 'private, no-cache');
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return reply.type('application/json').send(text);
  }

  app.get('/mcp/openapi.json', describe);
  app.get('/mcp/:slug/openapi.json', describe);

  app.post<{ Params: { slug: string; name: string }; Querystring: Record<string, unknown> }>(
    '/mcp/:slug/tools/:name',
    async (request, reply) => {
      const { slug, name } = request.params;
      let outcome;
      try {
        const { view, caller } = await findServer(context, slug, request.raw, 'rest');
        const args = readArguments(request.body);
        const followUp = readFollowUp(fromQuery(request.query), '');
        if ('problem' in followUp) throw httpErrors.queryInvalid({ problem: followUp.problem });
        const gone = new AbortController();
        const onClose = () => gone.abort();
        reply.raw.once('close', onClose);
        const call = makeRestCall(context, request, {
          view,
          caller,
          name,
          args,
          followUp,
          signal: gone.signal,
        });
        if (call === null)
          throw httpErrors.unknownTool({ name, suggestion: suggestTool(view, caller, name) });
        outcome = await context.answerCall(call);
        reply.raw.off('close', onClose);
      } catch (thrown) {
        return sendProblem(reply, reported(context, toHandrailError(thrown)));
      }
      switch (outcome.kind) {
        case 'done':
          return sendOutput(reply, outcome.output);
        case 'waiting': {
          const { askAgainAfterMs } = outcome.waiting;
          if (askAgainAfterMs !== null) reply.header('retry-after', Math.ceil(askAgainAfterMs / 1_000));
          return reply
            .code(202)
            .type('application/json')
            .send(JSON.stringify({ ...viewWaiting(outcome.waiting), message: waitingText(outcome.waiting) }));
        }
        case 'failed':
          return sendProblem(reply, reported(context, outcome.error));
      }
    },
  );
}

function reported({ log }: AppContext, error: HandrailError): HandrailError {
  if (error.code === 'internal') log.error({ err: error.cause }, 'a REST call failed');
  return error;
}

function readArguments(body: unknown): unknown {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw httpErrors.argumentsNotJson({ problem: error.message });
  }
  if (!isObject(value)) throw httpErrors.argumentsNotJson({ problem: 'it is not an object' });
  return value;
}

/** `?all=true&max_items=50`, as the arguments that a model would pass. */
function fromQuery(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      value === 'true'
        ? true
        : value === 'false'
          ? false
          : /^\d{1,9}$/.test(String(value))
            ? Number(value)
            : value,
    ]),
  );
}

const maxNoteLength = 1_000;

/**
 * Sends a reply as it is. What Handrail adds for a model is in a header, and a type that a browser would run is never
 * sent: the reply is an API's, but the origin is ours.
 */
function sendOutput(reply: FastifyReply, { content }: Output): FastifyReply {
  void reply.header('content-security-policy', "default-src 'none'; sandbox");
  const [first, ...others] = content;
  const notes = others.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const file = content.find((part) => part.type !== 'text');
  if (file !== undefined) {
    switch (file.type) {
      case 'image':
      case 'audio':
        return sendBytes(reply, Buffer.from(file.data, 'base64'));
      case 'resource':
        return sendBytes(reply, Buffer.from(file.resource.blob, 'base64'));
      default:
        return reply.type('application/json').send(JSON.stringify(file));
    }
  }
  const note = notes
    .join(' ')
    .replaceAll(/[^\u0020-\u007e]+/g, ' ')
    .slice(0, maxNoteLength);
  if (note !== '') void reply.header('handrail-note', note);
  const text = first?.type === 'text' ? first.text : '';
  const type = isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
  return reply.type(type).send(Buffer.from(text));
}

function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  return reply.type('application/octet-stream').header('content-disposition', 'attachment').send(bytes);
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
