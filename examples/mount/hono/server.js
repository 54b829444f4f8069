import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { handrail } from 'handrail/mount';
import { Hono } from 'hono';
import { createShop, problemOf } from '../shop.js';

const shop = createShop();
const app = new Hono();

app.onError((error, c) => {
  const { status, body } = problemOf(error);
  return c.json(body, status);
});
app.get('/api/books', (c) => c.json(shop.list(c.req.query())));
app.get('/api/books/:id', (c) => c.json(shop.get(Number(c.req.param('id')))));
app.post('/api/books', async (c) => c.json(shop.add(await c.req.json()), 201));
app.delete('/api/books/:id', (c) => {
  shop.remove(Number(c.req.param('id')));
  return c.body(null, 204);
});
app.use('/api/me', async (c, next) => {
  const user = shop.userOf(c.req.header('authorization'));
  if (user === undefined) return c.json({ error: 'Sign in first.' }, 401);
  c.set('user', user);
  await next();
});
app.get('/api/me', (c) => c.json({ user: c.get('user'), headers: c.req.header() }));
app.post('/api/covers', async (c) => c.json(await shop.cover(await c.req.formData())));
app.get('/api/events', (c) => {
  const events = shop.events(c.req.query('wait') === 'true', c.req.raw.signal);
  return c.body(ReadableStream.from(events), 200, { 'content-type': 'text/event-stream' });
});
app.post('/api/visits', (c) => {
  const { body, cookie } = shop.visit(c.req.header('cookie'));
  return c.json(body, 200, { 'set-cookie': cookie });
});

const mcp = await handrail({
  document: readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
  fetch: (request) => app.fetch(request),
  forward: ['authorization', 'cookie'],
});
app.all('/mcp', (c) => mcp.fetch(c.req.raw, { user: shop.userOf(c.req.header('authorization')) }));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/mcp`);
});
