import Fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { sendProblem } from './problem.ts';
import type { AppContext } from './app-context.ts';
import { asError } from '../lib/thrown-errors.ts';

/** A router without routes: its limits, what it does with bodies, and how it words what goes wrong. */
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
    // No route has a schema of Fastify's: each surface checks its own input. Fastify's compilers would be loaded for nothing.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });

  // Bodies stay bytes until a route reads them: each surface has its own rules for what is wrong with one.
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
      new HandrailError(
        'not_found',
        `There is nothing at ${request.method} ${request.url.split('?', 1)[0]!.slice(0, 200)}.`,
      ),
    ),
  );
  return router;
}

function noSchemas(): never {
  throw new Error('Routes have no schemas: check the input where it is read.');
}

/** What Fastify itself refuses, in our words. */
function fromFastify(error: Error & { readonly statusCode?: number; readonly code?: string }): HandrailError {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new HandrailError(
        'payload_too_large',
        'The body is larger than this gateway accepts (HANDRAIL_MAX_BODY_BYTES).',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new HandrailError(
        'invalid_request',
        'The body is shorter or longer than its Content-Length says.',
      );
    case 'FST_ERR_BAD_URL':
      return new HandrailError('invalid_request', 'The URL is not well-formed.');
    default:
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
        return new HandrailError('invalid_request', 'The request is not well-formed.');
      }
      return toHandrailError(error);
  }
}
