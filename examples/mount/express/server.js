import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import express from 'express';
import { handrail } from 'handrail/mount';
import { fetchFromListener } from 'handrail/mount/node';
import { createShop, formOf, problemOf } from '../shop.js';

const shop = createShop();
const app = express();

app.use('/api', express.json());
app.get('/api/books', (req, res) => res.json(shop.list(req.query)));
app.get('/api/books/:id', (req, res) => res.json(shop.get(Number(req.params.id))));
app.post('/api/books', (req, res) => res.status(201).json(shop.add(req.body)));
app.delete('/api/books/:id', (req, res) => {
  shop.remove(Number(req.params.id));
  res.status(204).end();
});
function requireUser(req, res, next) {
  req.user = shop.userOf(req.headers.authorization);
  if (req.user === undefined) res.status(401).json({ error: 'Sign in first.' });
  else next();
}
app.get('/api/me', requireUser, (req, res) => res.json({ user: req.user, headers: req.headers }));
app.post('/api/covers', async (req, res) => res.json(await shop.cover(await formOf(req.headers, req))));
app.get('/api/events', (req, res) => {
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  res.type('text/event-stream');
  Readable.from(shop.events(req.query.wait === 'true', gone.signal)).pipe(res);
});
app.post('/api/visits', (req, res) => {
  const { body, cookie } = shop.visit(req.headers.cookie);
  res.set('set-cookie', cookie).json(body);
});

const mcp = await handrail({
  document: readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
  fetch: fetchFromListener(app),
  forward: ['authorization', 'cookie'],
});
app.all('/mcp', (req, res) => mcp.node(req, res, { user: shop.userOf(req.headers.authorization) }));

app.use((error, _req, res, _next) => {
  const { status, body } = problemOf(error);
  res.status(status).json(body);
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/mcp`);
});
