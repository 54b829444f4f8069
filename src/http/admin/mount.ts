import type { FastifyInstance } from 'fastify';
import { adminApiErrors } from '../../domain/error-messages/admin-api.ts';
import { createRouter } from '../router.ts';
import type { AppContext } from '../app-context.ts';
import { bindApiTokens } from './routes/api-tokens.ts';
import { bindIdentityProviders } from './routes/identity-providers.ts';
import { bindPeople } from './routes/people.ts';
import { bindAnalytics } from './routes/analytics.ts';
import { bindApis } from './routes/apis.ts';
import { type BoundRoute, mountRoute } from './bind.ts';
import { bindAccounts } from './routes/accounts.ts';
import { bindAudit } from './routes/audit.ts';
import { bindCalls } from './routes/calls.ts';
import { bindComposedTools } from './routes/composed-tools.ts';
import { bindConnectedApps } from './routes/connected-apps.ts';
import { bindCredentials } from './routes/credentials.ts';
import { bindImportJobs } from './routes/import-jobs.ts';
import { bindImports } from './routes/imports.ts';
import { bindMe } from './routes/me.ts';
import { bindKeys } from './routes/keys.ts';
import { bindPlayground } from './routes/playground.ts';
import { bindModels } from './routes/models.ts';
import { createGate } from './gate.ts';
import { openapiOf } from './openapi.ts';
import { bindProfiles } from './routes/profiles.ts';
import { bindScripts } from './routes/scripts.ts';
import { bindPii } from './routes/pii.ts';
import { bindSearch } from './routes/search.ts';
import { bindServers } from './routes/servers.ts';
import { bindOverview } from './routes/overview.ts';
import { bindSetAside } from './routes/set-aside.ts';
import { bindSettings } from './routes/settings.ts';
import { bindSessions } from './routes/sessions.ts';
import { bindToolDrafts } from './routes/tool-drafts.ts';
import { bindToolIndex } from './routes/tool-index.ts';
import { bindTools } from './routes/tools.ts';

/** Every route of the admin API, in the order the document lists them. */
export function adminRoutes(context: AppContext): BoundRoute[] {
  return [
    ...bindSessions(context),
    ...bindMe(context),
    ...bindApis(context),
    ...bindTools(context),
    ...bindImports(context),
    ...bindImportJobs(context),
    ...bindToolIndex(context),
    ...bindToolDrafts(context),
    ...bindServers(context),
    ...bindPii(context),
    ...bindSearch(context),
    ...bindScripts(context),
    ...bindComposedTools(context),
    ...bindCredentials(context),
    ...bindModels(context),
    ...bindPlayground(context),
    ...bindKeys(context),
    ...bindConnectedApps(context),
    ...bindAccounts(context),
    ...bindCalls(context),
    ...bindPeople(context),
    ...bindIdentityProviders(context),
    ...bindApiTokens(context),
    ...bindAudit(context),
    ...bindAnalytics(context),
    ...bindSettings(context),
    ...bindSetAside(context),
    ...bindOverview(context),
    ...bindProfiles(),
  ];
}

/**
 * The admin API under `/api/v1`, as its own router. Except for signing in, nothing under `/api` answers an
 * unauthenticated request, not even with 404.
 */
export function createAdminApi(context: AppContext): FastifyInstance {
  const router = createRouter(context);
  const routes = adminRoutes(context);
  const gate = createGate(context);
  for (const route of routes) mountRoute(router, route, gate);
  let document: string | null = null;
  router.get('/api/v1/openapi.json', async (request, reply) => {
    await gate.admit(request, { access: 'viewer', tag: 'session', method: 'GET' });
    document ??= JSON.stringify(
      openapiOf(
        routes.map((route) => route.contract),
        context.version,
      ),
    );
    return reply.type('application/json').send(document);
  });
  router.all('/api/*', async (request) => {
    await gate.admit(request, { access: 'viewer', tag: 'session', method: 'GET' });
    throw adminApiErrors.routeNotFound({ method: request.method, path: request.url.split('?', 1)[0]! });
  });
  router.all('/api', async (request) => {
    await gate.admit(request, { access: 'viewer', tag: 'session', method: 'GET' });
    throw adminApiErrors.versionMissing();
  });
  return router;
}
