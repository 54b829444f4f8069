import type { FastifyInstance } from 'fastify';
import { HandrailError } from '../../domain/errors.ts';
import { createRouter } from '../router.ts';
import type { Serving } from '../serving.ts';
import { bindAdmins } from './admins.ts';
import { bindAnalytics } from './analytics.ts';
import { bindApis } from './apis.ts';
import { type BoundRoute, mountRoute } from './bind.ts';
import { bindAudit } from './audit.ts';
import { bindCalls } from './calls.ts';
import { bindCredentials } from './credentials.ts';
import { bindImports } from './imports.ts';
import { bindKeys } from './keys.ts';
import { createGate } from './gate.ts';
import { openapiOf } from './openapi.ts';
import { bindServers } from './servers.ts';
import { bindOverview } from './overview.ts';
import { bindSettings } from './settings.ts';
import { bindSessions } from './sessions.ts';
import { bindToolDrafts } from './tool-drafts.ts';
import { bindToolIndex } from './tool-index.ts';
import { bindTools } from './tools.ts';

/** Every route of the admin API, in the order the document lists them. */
export function adminRoutes(serving: Serving): BoundRoute[] {
  return [
    ...bindSessions(serving),
    ...bindApis(serving),
    ...bindTools(serving),
    ...bindImports(serving),
    ...bindToolIndex(serving),
    ...bindToolDrafts(serving),
    ...bindServers(serving),
    ...bindCredentials(serving),
    ...bindKeys(serving),
    ...bindCalls(serving),
    ...bindAdmins(serving),
    ...bindAudit(serving),
    ...bindAnalytics(serving),
    ...bindSettings(serving),
    ...bindOverview(serving),
  ];
}

/**
 * The admin API under `/api/v1`, as a router of its own. Besides getting in, nothing under `/api` answers before it knows
 * who asks, not even that it does not exist.
 */
export function createAdminApi(serving: Serving): FastifyInstance {
  const router = createRouter(serving);
  const routes = adminRoutes(serving);
  const gate = createGate(serving);
  for (const route of routes) mountRoute(router, route, gate);
  let document: string | null = null;
  router.get('/api/v1/openapi.json', async (request, reply) => {
    await gate.admit(request, 'viewer');
    document ??= JSON.stringify(
      openapiOf(
        routes.map((route) => route.contract),
        serving.version,
      ),
    );
    return reply.type('application/json').send(document);
  });
  router.all('/api/*', async (request) => {
    await gate.admit(request, 'viewer');
    throw new HandrailError(
      'not_found',
      `The admin API has nothing at ${request.method} ${request.url.split('?', 1)[0]!.slice(0, 200)}.`,
    );
  });
  router.all('/api', async (request) => {
    await gate.admit(request, 'viewer');
    throw new HandrailError(
      'not_found',
      'The admin API is at /api/v1; its description is at /api/v1/openapi.json.',
    );
  });
  return router;
}
