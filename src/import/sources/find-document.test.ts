import { afterEach, beforeEach, expect, it } from 'vitest';
import { serveHttp, type TestServer } from '../../../test/support/servers/http-server.ts';
import { createEgressGuard } from '../../upstream/connections/egress.ts';
import { createFetchGuarded } from '../../upstream/fetch-guarded.ts';
import { findDocument } from './find-document.ts';

const description = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'Done' } } } } },
};

interface Page {
  readonly type: string;
  readonly body: string;
  readonly link?: string;
}

let app: TestServer;
let pages: Readonly<Record<string, Page>>;
let outbound: ReturnType<typeof createFetchGuarded>;

beforeEach(async () => {
  pages = {};
  app = await serveHttp((request, response) => {
    const page = pages[request.url!];
    if (page === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no such path"}');
      return;
    }
    const { type, body, link } = page;
    response.writeHead(200, { 'content-type': type, ...(link !== undefined && { link }) }).end(body);
  });
  outbound = createFetchGuarded({
    guard: createEgressGuard({ allow: [`127.0.0.1:${app.port}`] }),
    now: Date.now,
  });
});
afterEach(async () => {
  await outbound.close();
  await app.close();
});

const find = (path = '') => findDocument(`${app.origin}${path}`, outbound.fetch, Date.now);
const swaggerPage =
  '<html><script src="./swagger-ui-bundle.js"></script><script>SwaggerUIBundle({ url: "/internal/spec.json", dom_id: "#ui" })</script></html>';
const json = (value: unknown): Page => ({ type: 'application/json', body: JSON.stringify(value) });
const html = (body: string): Page => ({ type: 'text/html', body });
const yaml = (body: string): Page => ({ type: 'application/yaml', body });

it.each<[string, Record<string, Page>, string]>([
  ['a usual path', { '/v3/api-docs': json(description) }, '/v3/api-docs'],
  ['a usual path, in YAML', { '/openapi.yaml': yaml('# ours\nopenapi: "3.1.0"\n') }, '/openapi.yaml'],
  [
    'a page of Swagger UI',
    { '/docs': html(swaggerPage), '/internal/spec.json': json(description) },
    '/internal/spec.json',
  ],
  [
    'a script of Swagger UI',
    {
      '/swagger-ui/index.html': html('<script src="./swagger-initializer.js"></script>'),
      '/swagger-ui/swagger-initializer.js': {
        type: 'text/javascript',
        body: 'window.ui = SwaggerUIBundle({"configUrl":"/internal/config"})',
      },
      '/internal/config': json({ url: '/internal/spec.json' }),
      '/internal/spec.json': json(description),
    },
    '/internal/spec.json',
  ],
  [
    'a page of Redoc',
    {
      '/redoc': html("<redoc spec-url='../internal/spec.json'></redoc>"),
      '/internal/spec.json': json(description),
    },
    '/internal/spec.json',
  ],
  [
    'a page of Scalar',
    {
      '/reference': html('<script id="api-reference" data-url="/internal/spec.json"></script>'),
      '/internal/spec.json': json(description),
    },
    '/internal/spec.json',
  ],
  [
    'a link header',
    {
      '/': { ...html('<h1>Pets</h1>'), link: '</internal/spec.json>; rel="service-desc"' },
      '/internal/spec.json': json(description),
    },
    '/internal/spec.json',
  ],
])('finds a description by %s', async (_, served, path) => {
  pages = served;
  expect(await find()).toEqual({ url: `${app.origin}${path}` });
});

it('reads a description that is written into a script, and where its relative server is', async () => {
  const inline = { ...description, servers: [{ url: '/v1' }], 'x-text': 'a brace } and a quote "' };
  pages = {
    '/api-docs/': html('<script src="./swagger-ui-init.js"> </script>'),
    '/api-docs/swagger-ui-init.js': {
      type: 'text/javascript',
      body: `window.onload = function() { var options = {"swaggerDoc": ${JSON.stringify(inline)}, "customOptions": {}}; }`,
    },
  };
  const found = await find('/');
  expect(found).toMatchObject({ baseUrl: `${app.origin}/v1`, page: `${app.origin}/api-docs/` });
  expect(JSON.parse('text' in found ? found.text : '')).toEqual(inline);
});

it('takes the address itself if it is a description, and looks next to it before the origin', async () => {
  pages = {
    '/v2/spec': json(description),
    '/v2/openapi.json': json(description),
    '/openapi.json': json(description),
  };
  expect(await find('/v2/spec')).toEqual({ url: `${app.origin}/v2/spec` });
  expect(await find('/v2')).toEqual({ url: `${app.origin}/v2/openapi.json` });
});

it('asks a bounded number of times, whatever a page links to', async () => {
  const links = Array.from({ length: 500 }, (_, at) => `<redoc spec-url="/loop/${at}"></redoc>`).join('');
  const loop = html(links);
  pages = Object.fromEntries(
    ['/', ...Array.from({ length: 500 }, (_, at) => `/loop/${at}`)].map((path) => [path, loop]),
  );
  await expect(find('/')).rejects.toThrow('No API description was found');
  expect(app.seen).toBeLessThanOrEqual(60);
});

it('gives up on an app that is slow to say that a path does not exist', async () => {
  let clock = 0;
  const found = findDocument(app.origin, outbound.fetch, () => (clock += 3_000));
  await expect(found).rejects.toThrow(/which answers HTTP 404 \(9 addresses tried\)/);
  expect(app.seen).toBe(9);
});

it('takes a page that only mentions OpenAPI for what it is', async () => {
  pages = {
    '/': html('<p>openapi: 3</p>'),
    '/openapi.json': json({ info: 'openapi' }),
    '/swagger.json': json([]),
  };
  await expect(find('/')).rejects.toThrow('No API description was found');
});
