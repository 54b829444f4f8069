import type { HttpRequest, HttpResponse } from '../lib/http-exchange.ts';
import { mountErrors } from '../domain/error-messages/mount.ts';
import type { HostContext } from './host.ts';
import { readBody } from './web-exchange.ts';

/** Node's request, as Express and NestJS pass it on too; a parsed body is used. */
export interface NodeRequest extends HttpRequest, AsyncIterable<Uint8Array | string> {
  /** What a body parser made of the body. */
  readonly body?: unknown;
  /** The URL before a router took off the path it is mounted at. */
  readonly originalUrl?: string;
  /** Whether something was already read of the body. */
  readonly readableDidRead?: boolean;
}

/** Node's response. */
export type NodeResponse = HttpResponse;

/** The body of a Node request: what a body parser left of it, or its bytes. */
export async function nodeBody(req: NodeRequest, maxBytes: number): Promise<Uint8Array | null | 'too large'> {
  const { body } = req;
  if (body instanceof Uint8Array) return body.length > maxBytes ? 'too large' : body;
  if (body !== undefined && (req.readableDidRead ?? true)) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return text.length > maxBytes ? 'too large' : new TextEncoder().encode(text);
  }
  if (req.readableDidRead === true) throw mountErrors.bodyConsumed();
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return 'too large';
  return readBody(req, maxBytes);
}

/** The part of a Fastify instance that the plugin uses, so that Fastify's types are not needed here. */
interface FastifyInstance {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit?: number },
    parser: Parser,
  ): unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- each version of Fastify declares its routes differently
  route(route: any): unknown;
}

type Parser = (request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => void;

interface FastifyRequest {
  readonly raw: NodeRequest;
  readonly body?: unknown;
}

interface FastifyReply {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** Options of the Fastify plugin. */
export interface FastifyPluginOptions {
  /** Where the endpoint is; `/mcp` by default. */
  readonly path?: string;
  /** What the app knows about a request, such as what its hooks put there. */
  // oxlint-disable-next-line typescript/no-explicit-any -- an app knows its own requests, with what it decorated them with
  readonly host?: (request: any) => HostContext | undefined;
}

/** The endpoint as a Fastify plugin, in a context of its own: the app's parsers and hooks stay as they are. */
export type FastifyPlugin = (
  // oxlint-disable-next-line typescript/no-explicit-any -- fits every version of Fastify
  app: any,
  options: FastifyPluginOptions,
) => Promise<void>;

export function fastifyPlugin(
  serve: (req: NodeRequest, res: NodeResponse, host: HostContext | undefined) => Promise<void>,
): FastifyPlugin {
  return async (app: FastifyInstance, { path = '/mcp', host }) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      reply.hijack();
      // Node's request, with the bytes that Fastify read of it.
      const { raw } = request;
      const req: NodeRequest = Object.create(raw, {
        body: { value: request.body, enumerable: true },
        readableDidRead: { value: true },
      });
      await serve(req, reply.raw, host?.(request));
    };
    for (const url of [path, `${path.replace(/\/$/, '')}/*`])
      app.route({ method: ['GET', 'POST', 'DELETE'], url, exposeHeadRoute: false, handler });
  };
}
