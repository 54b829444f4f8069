import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify';
import { httpErrors } from '../domain/error-messages/http.ts';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { problemOf, sendProblem } from './problem.ts';
import type { AppContext } from './app-context.ts';
import { asError } from '../lib/thrown-errors.ts';

/** Creates a router without routes: limits, body handling and error responses. */
export function createRouter(
  { config, log }: Pick<AppContext, 'config' | 'log'>,
  serverFactory?: FastifyServerFactory,
): FastifyInstance {
  const router = Fastify({
    logger: false,
    ...(serverFactory !== undefined && { serverFactory }),
    bodyLimit: config.maxBodyBytes,
    trustProxy: config.trustProxy.length > 0 && [...config.trustProxy],
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: (error, _request, reply) => void sendProblem(reply, fromFastify(error)),
    clientErrorHandler: answerUnreadable,
    // Each surface validates its own input, so routes have no Fastify schemas and its compilers need not load.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });

  // Bodies stay bytes until a route parses them, because each surface reports invalid bodies its own way.
  router.removeAllContentTypeParsers();
  router.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  router.setErrorHandler((thrown, _request, reply) => {
    const error = thrown instanceof HandrailError ? thrown : fromFastify(asError(thrown));
    if (error.code === 'internal') log.error({ err: error.cause ?? error }, 'request failed');
    return sendProblem(reply, error);
  });
  router.setNotFoundHandler((request, reply) =>
    sendProblem(
      reply,
      httpErrors.routeNotFound({ method: request.method, path: request.url.split('?', 1)[0]! }),
    ),
  );
  return router;
}

function noSchemas(): never {
  throw new Error('Routes have no Fastify schemas; validate the input in the handler.');
}

/** Answers bytes that Node can't read as a request, so that no route ever sees them. */
function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const [status, problem] = problemOfBytes(error.code);
  const body = JSON.stringify({ ...problemOf(problem), status });
  socket.end(
    `HTTP/1.1 ${status} \r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function problemOfBytes(code: string | undefined): readonly [status: number, error: HandrailError] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, httpErrors.headersTooLarge()];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, httpErrors.requestTooSlow()];
    default:
      return [400, httpErrors.malformedRequest()];
  }
}

/** Translates Fastify's own errors. */
function fromFastify(error: Error & { readonly statusCode?: number; readonly code?: string }): HandrailError {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return httpErrors.bodyTooLarge();
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return httpErrors.contentLengthMismatch();
    case 'FST_ERR_BAD_URL':
      return httpErrors.malformedUrl();
    default:
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
        return httpErrors.malformedRequest();
      }
      return toHandrailError(error);
  }
}
