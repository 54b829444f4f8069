import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { handrail } from 'handrail/mount';
import { fetchFromListener } from 'handrail/mount/node';
import { createShop, formOf, problemOf } from '../shop.js';

const shop = createShop();

/** The routes: a method and a pattern of the path, and what answers them. */
const routes = [
  [
    'GET',
    /^\/api\/books$/,
    (req, res, url) => send(res, 200, shop.list(Object.fromEntries(url.searchParams))),
  ],
  ['POST', /^\/api\/books$/, async (req, res) => send(res, 201, shop.add(await json(req)))],
  ['GET', /^\/api\/books\/(\d+)$/, (req, res, url, id) => send(res, 200, shop.get(Number(id)))],
  [
    'DELETE',
    /^\/api\/books\/(\d+)$/,
    (req, res, url, id) => {
      shop.remove(Number(id));
      res.writeHead(204).end();
    },
  ],
  [
    'GET',
    /^\/api\/me$/,
    (req, res) => {
      const user = shop.userOf(req.headers.authorization);
      if (user === undefined) send(res, 401, { error: 'Sign in first.' });
      else send(res, 200, { user, headers: req.headers });
    },
  ],
  [
    'POST',
    /^\/api\/covers$/,
    async (req, res) => send(res, 200, await shop.cover(await formOf(req.headers, req))),
  ],
  [
    'GET',
    /^\/api\/events$/,
    (req, res, url) => {
      const gone = new AbortController();
      res.on('close', () => gone.abort());
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      Readable.from(shop.events(url.searchParams.get('wait') === 'true', gone.signal)).pipe(res);
    },
  ],
  [
    'POST',
    /^\/api\/visits$/,
    (req, res) => {
      const { body, cookie } = shop.visit(req.headers.cookie);
      res.setHeader('set-cookie', cookie);
      send(res, 200, body);
    },
  ],
];

function send(res, status, body) {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function listener(req, res) {
  const url = new URL(req.url, 'http://localhost');
  if (url.pathname === '/mcp') return mcp.node(req, res, { user: shop.userOf(req.headers.authorization) });
  try {
    for (const [method, pattern, answer] of routes) {
      const match = pattern.exec(url.pathname);
      if (match !== null && method === req.method) return await answer(req, res, url, ...match.slice(1));
    }
    send(res, 404, { error: 'There is nothing here.' });
  } catch (error) {
    const { status, body } = problemOf(error);
    send(res, status, body);
  }
}

const mcp = await handrail({
  document: readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
  fetch: fetchFromListener(listener),
  forward: ['authorization', 'cookie'],
});

const server = createServer((req, res) => void listener(req, res)).listen(
  Number(process.env.PORT ?? 3000),
  '127.0.0.1',
  () => {
    console.log(`http://127.0.0.1:${server.address().port}/mcp`);
  },
);
