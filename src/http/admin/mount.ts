import type { FastifyInstance } from 'fastify';
import { HandrailError } from '../../domain/errors.ts';
import type { Serving } from '../serving.ts';
import { bindApis } from './apis.ts';
import { type BoundRoute, mountRoute } from './bind.ts';
import { bindCalls } from './calls.ts';
import { bindCredentials } from './credentials.ts';
import { bindKeys } from './keys.ts';
import { openapiOf } from './openapi.ts';
import { bindServers } from './servers.ts';
import { bindTools } from './tools.ts';

/** Every route of the admin API, in the order the document lists them. */
export function adminRoutes(serving: Serving): BoundRoute[] {
  return [
    ...bindApis(serving),
    ...bindTools(serving),
    ...bindServers(serving),
    ...bindCredentials(serving),
    ...bindKeys(serving),
    ...bindCalls(serving),
  ];
}

/** The admin API under `/api/v1`. Nothing under `/api` answers without the admin token, not even that it does not exist. */
export function mountAdminApi(app: FastifyInstance, serving: Serving): void {
  const routes = adminRoutes(serving);
  const checkAccess = (request: { headers: { authorization?: string } }) =>
    serving.adminTokens.check(request.headers.authorization);
  for (const route of routes) mountRoute(app, route, checkAccess);
  const document = JSON.stringify(
    openapiOf(
      routes.map((route) => route.contract),
      serving.version,
    ),
  );
  app.get('/api/v1/openapi.json', (request, reply) => {
    checkAccess(request);
    return reply.type('application/json').send(document);
  });
  app.all('/api/*', (request) => {
    checkAccess(request);
    throw new HandrailError(
      'not_found',
      `The admin API has nothing at ${request.method} ${request.url.split('?', 1)[0]!.slice(0, 200)}.`,
    );
  });
  app.all('/api', (request) => {
    checkAccess(request);
    throw new HandrailError(
      'not_found',
      'The admin API is at /api/v1; its description is at /api/v1/openapi.json.',
    );
  });
}
