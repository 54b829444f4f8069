import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { encodePng } from '../lib/png.ts';
import { objectOr, type PlainObject } from '../lib/json/plain-object.ts';
import { readStream } from '../lib/read-stream.ts';

/** The demo API's own listener: loopback, a free port, reached only through the gateway. */
export interface DemoApi {
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts the demo API: a small upstream that works offline and shows what Handrail does with each kind of reply. */
export async function startDemoApi(): Promise<DemoApi> {
  const server = createServer((req, res) => {
    answer(req, res).catch(() => {
      if (!res.headersSent) sendJson(res, 500, { message: 'The demo API failed.' });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // It doesn't keep the process alive.
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The demo API listens on no port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = (
  url: URL,
  body: PlainObject,
  res: ServerResponse,
  match: readonly string[],
) => void | Promise<void>;

const routes: readonly (readonly [string, RegExp, Answer])[] = [
  ['GET', /^\/weather$/, weather],
  ['GET', /^\/current\/([^/]+)$/, currentConditions],
  ['GET', /^\/documents$/, searchDocuments],
  ['POST', /^\/notifications$/, sendNotification],
  ['POST', /^\/database\/query$/, hang],
  ['POST', /^\/repos\/([^/]+)\/([^/]+)\/issues$/, createIssue],
  ['POST', /^\/emails$/, sendEmail],
  ['GET', /^\/picture$/, picture],
  ['GET', /^\/slow$/, slow],
  ['GET', /^\/failing$/, failing],
];

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://demo');
  const body = await readBody(req);
  for (const [method, pattern, respond] of routes) {
    const match = pattern.exec(url.pathname);
    if (method === req.method && match !== null)
      return respond(url, body, res, match.slice(1).map(decodeURIComponent));
  }
  sendJson(res, 404, { message: 'The demo API has no such resource.' });
}

async function readBody(req: IncomingMessage): Promise<PlainObject> {
  const body = await readStream(req);
  return body.length === 0 ? {} : objectOr(JSON.parse(body.toString('utf8')));
}

// A space after each colon and comma, like the replies in HandsAI's documentation.
function sendJson(res: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) /g, '$1')
    .replace(/ ([\]}])/g, '$1');
  res.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

const conditions = ['Partly cloudy', 'Sunny', 'Light rain', 'Overcast', 'Clear'];

// The same place always has the same weather, so that the demo can be repeated.
function seedOf(text: string): number {
  return [...text.toLowerCase()].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9_973, 7);
}

// The example in HandsAI's documentation.
const documentedPlace = 'san francisco';
const documentedWeather = { celsius: 18, condition: 'Partly cloudy', humidity: 65 };

function weatherOf(place: string): typeof documentedWeather {
  if (place.trim().toLowerCase() === documentedPlace) return documentedWeather;
  const seed = seedOf(place);
  return {
    celsius: 8 + (seed % 22),
    condition: conditions[seed % conditions.length]!,
    humidity: 40 + (seed % 50),
  };
}

function weather(url: URL, _body: unknown, res: ServerResponse): void {
  const { celsius, condition, humidity } = weatherOf(url.searchParams.get('location') ?? '');
  const fahrenheit = url.searchParams.get('units') === 'fahrenheit';
  sendJson(res, 200, {
    temperature: fahrenheit ? Math.round((celsius * 9) / 5 + 32) : celsius,
    condition,
    humidity,
  });
}

function currentConditions(
  _url: URL,
  _body: unknown,
  res: ServerResponse,
  [city = '']: readonly string[],
): void {
  const seed = seedOf(city);
  const celsius = 8 + (seed % 22);
  res.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      current_condition: [
        {
          temp_C: String(celsius),
          temp_F: String(Math.round((celsius * 9) / 5 + 32)),
          weatherDesc: [{ value: conditions[seed % conditions.length] }],
          humidity: String(40 + (seed % 50)),
          windspeedKmph: String(5 + (seed % 30)),
        },
      ],
    }),
  );
}

const documents = [
  { id: 'doc-1', title: 'Q4 2024 Revenue Report', tags: ['finance', '2024'] },
  { id: 'doc-2', title: 'Q3 2024 Financial Summary', tags: ['finance', '2024', 'revenue'] },
  { id: 'doc-3', title: 'Onboarding Handbook', tags: ['people'] },
  { id: 'doc-4', title: 'Incident Review: Search Latency', tags: ['engineering', '2024'] },
  { id: 'doc-5', title: 'Brand Guidelines', tags: ['design'] },
];

function searchDocuments(url: URL, _body: unknown, res: ServerResponse): void {
  const words = (url.searchParams.get('query') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const tags = url.searchParams.getAll('tags');
  const limit = Number(url.searchParams.get('limit') ?? 10);
  const found = documents
    .filter((document) => tags.every((tag) => document.tags.includes(tag)))
    .filter((document) =>
      words.some((word) => `${document.title} ${document.tags.join(' ')}`.toLowerCase().includes(word)),
    );
  sendJson(
    res,
    200,
    found.slice(0, limit).map(({ id, title }) => ({ id, title })),
  );
}

function sendNotification(_url: URL, body: PlainObject, res: ServerResponse): void {
  const recipients = Array.isArray(body['recipients']) ? body['recipients'] : [];
  sendJson(res, 200, {
    status: 'sent',
    delivered: recipients.length,
    priority: body['priority'] ?? 'normal',
  });
}

function createIssue(
  _url: URL,
  body: PlainObject,
  res: ServerResponse,
  [owner, repo]: readonly string[],
): void {
  sendJson(res, 201, {
    id: 42,
    number: 1234,
    state: 'open',
    repository: `${owner}/${repo}`,
    title: body['title'],
  });
}

function sendEmail(_url: URL, body: PlainObject, res: ServerResponse): void {
  const to = Array.isArray(body['to']) ? body['to'] : [body['to']];
  sendJson(res, 200, { id: 'abc123', from: body['from'], to, created_at: new Date().toISOString() });
}

// Never answers: the tool's own time limit ends the call.
function hang(): void {}

async function slow(url: URL, _body: unknown, res: ServerResponse): Promise<void> {
  const seconds = Math.min(Math.max(Number(url.searchParams.get('seconds') ?? 3), 0), 20);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  sendJson(res, 200, { waited_seconds: seconds });
}

function failing(_url: URL, _body: unknown, res: ServerResponse): void {
  sendJson(res, 503, { message: 'The demo failure you asked for.' });
}

const size = 96;

function picture(url: URL, _body: unknown, res: ServerResponse): void {
  const hue = seedOf(url.searchParams.get('text') ?? 'handrail') % 256;
  res
    .writeHead(200, { 'content-type': 'image/png' })
    .end(
      encodePng(size, size, (x, y) => [
        (hue + x) % 256,
        Math.round((255 * y) / size),
        255 - ((hue + y) % 256),
      ]),
    );
}
