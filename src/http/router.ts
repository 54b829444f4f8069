import Fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify';
import { httpErrors } from '../domain/error-messages/http.ts';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { sendProblem } from './problem.ts';
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
