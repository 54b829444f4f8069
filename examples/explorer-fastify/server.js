import { buildUIRoutes } from '@handrail/explorer';
import Fastify from 'fastify';
import { handleCall, tools } from './tools.js';

const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });

app.register(
  async (scope) => {
    // The explorer reads the body itself, so that text which is not JSON gets its own answer.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));

    for (const { method, pattern, handler } of buildUIRoutes(tools, handleCall, {
      allowExecute: true,
      title: 'Fastify tools',
    })) {
      scope.route({ method, url: pattern, handler: (request) => handler(request, request.params) });
    }
  },
  { prefix: '/explorer' },
);

console.log(`${await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })}/explorer`);
