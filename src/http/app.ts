import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { toHandrailError } from '../domain/errors.ts';
import { holdWhileSending } from '../lib/memory/hold-while-sending.ts';
import { mountAdminApi } from './admin-api.ts';
import { mountAdminMcp } from './routes/admin-mcp-routes.ts';
import { mountAdminApp } from './routes/admin-app.ts';
import { mountDocs } from './routes/docs-routes.ts';
import { mountExplorerRoutes } from './routes/explorer-routes.ts';
import { limitConnections } from './connections/limit-connections.ts';
import { createGuards } from './guards.ts';
import { mountAuthorizationRoutes } from './routes/authorization-routes.ts';
import { mountFileRoutes } from './routes/file-routes.ts';
import { mountHandsaiRoutes } from './routes/handsai-routes.ts';
import { mountHealthRoutes } from './routes/health-routes.ts';
import { createMcpEntry } from './mcp-entry.ts';
import { mountIconRoutes } from './routes/icon-routes.ts';
import { mountMcpRoutes } from './routes/mcp-routes.ts';
import { mountOAuthCallback } from './routes/oauth-callback.ts';
import { mountSsoRoutes } from './routes/sso-routes.ts';
import { mountMetricsRoute } from './routes/metrics-routes.ts';
import { mountOAuthMetadataRoutes } from './routes/oauth-metadata-routes.ts';
import { sendProblem } from './problem.ts';
import { createRouter } from './router.ts';
import { mountServerCardRoutes } from './routes/server-card-routes.ts';
import { mountServerRestRoutes } from './routes/server-rest-routes.ts';
import type { AppContext } from './app-context.ts';

/** Builds the HTTP surface: the guards in front, then every group of routes. */
export function createApp(context: AppContext): FastifyInstance {
  const guards = createGuards(context.config);
  const tryMcpPost = createMcpEntry(context, guards);
  const app = createRouter(context, (route) => {
    // How often Node checks for requests that exceeded their timeout; its default of 30 s is too coarse.
    const server = createServer({ connectionsCheckingInterval: 2_000 }, (req, res) => {
      // Closing the connection sends the client's next request to the process that replaces this one.
      if (context.isLeaving()) res.shouldKeepAlive = false;
      if (!tryMcpPost(req, res)) route(req, res);
    });
    limitConnections(server, context.config, context.now);
    return server;
  });

  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    try {
      guards.check(request.raw);
    } catch (error) {
      void sendProblem(reply, toHandrailError(error));
      return;
    }
    const origin = guards.corsOrigin(request.raw);
    if (origin !== null) allowOrigin(request.raw, reply.raw, origin);
    if (request.method === 'OPTIONS' && origin !== null) {
      void reply.code(204).send();
      return;
    }
    done();
  });

  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) holdWhileSending(reply.raw, payload.length);
    done();
  });

  mountHealthRoutes(app, context);
  mountHandsaiRoutes(app, context);
  mountAdminMcp(app, context);
  mountMcpRoutes(app, context);
  mountServerCardRoutes(app, context);
  mountServerRestRoutes(app, context);
  mountIconRoutes(app, context);
  mountFileRoutes(app, context);
  mountExplorerRoutes(app, context);
  mountOAuthCallback(app, context);
  mountSsoRoutes(app, context);
  mountMetricsRoute(app, context);
  mountOAuthMetadataRoutes(app, context);
  mountAuthorizationRoutes(app, context);
  mountAdminApi(app, context);
  mountAdminApp(app, context);
  mountDocs(app, context);
  return app;
}

const allowedHeaders =
  'Authorization, Content-Type, Accept, If-Match, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent';
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

function allowOrigin(req: IncomingMessage, res: ServerResponse, origin: string): void {
  // A server may read its key from a custom header, and tools may mirror parameters in headers.
  const requested = req.headers['access-control-request-headers'] ?? '';
  const extra = requested.length <= 1_000 && headerNames.test(requested) ? `, ${requested}` : '';
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('vary', 'Origin');
  res.setHeader('access-control-allow-methods', 'GET, POST, PATCH, PUT, DELETE, OPTIONS');
  res.setHeader('access-control-allow-headers', `${allowedHeaders}${extra}`);
  res.setHeader(
    'access-control-expose-headers',
    'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, ETag, Retry-After',
  );
  res.setHeader('access-control-max-age', '600');
}
