import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { handrail } from 'handrail/mount';
import { fetchFromInject } from 'handrail/mount/node';
import { createShop, formOf, problemOf } from '../shop.js';

const shop = createShop();
const app = Fastify();

app.setErrorHandler((error, _request, reply) => {
  const { status, body } = problemOf(error);
  return reply.code(status).send(body);
});
app.addContentTypeParser('multipart/form-data', (request, payload) => formOf(request.headers, payload));
app.get('/api/books', (request) => shop.list(request.query));
app.get('/api/books/:id', (request) => shop.get(Number(request.params.id)));
app.post('/api/books', (request, reply) => reply.code(201).send(shop.add(request.body)));
app.delete('/api/books/:id', (request, reply) => {
  shop.remove(Number(request.params.id));
  return reply.code(204).send();
});
async function requireUser(request, reply) {
  request.user = shop.userOf(request.headers.authorization);
  if (request.user === undefined) return reply.code(401).send({ error: 'Sign in first.' });
}
app.get('/api/me', { preHandler: requireUser }, ({ user, headers }) => ({ user, headers }));
app.post('/api/covers', (request) => shop.cover(request.body));
app.get('/api/events', (request, reply) => {
  const gone = new AbortController();
  reply.raw.on('close', () => gone.abort());
  const events = shop.events(request.query.wait === 'true', gone.signal);
  return reply.type('text/event-stream').send(Readable.from(events));
});
app.post('/api/visits', (request, reply) => {
  const { body, cookie } = shop.visit(request.headers.cookie);
  return reply.header('set-cookie', cookie).send(body);
});

const mcp = await handrail({
  document: readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
  fetch: fetchFromInject(app),
  forward: ['authorization', 'cookie'],
});
app.register(mcp.fastify, {
  path: '/mcp',
  host: (request) => ({ user: shop.userOf(request.headers.authorization) }),
});
app.addHook('onClose', () => mcp.close());

console.log(`${await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })}/mcp`);
