import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runHandrail, spawnHandrail } from '../../support/command.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const operation = (operationId: string) => ({
  operationId,
  summary: `Does ${operationId}`,
  responses: { 200: { description: 'Done' } },
});
const description = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': { get: operation('listPets'), post: operation('addPet') },
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      delete: operation('removePet'),
    },
  },
};
const secured = {
  ...description,
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  security: [{ key: [] }],
};

let home: string;
let temp: string;
let app: TestServer;
/** What the app serves besides its API. */
let pages: Readonly<Record<string, { readonly type: string; readonly body: string }>>;
let received: { readonly path: string; readonly authorization: string | undefined }[];
const children: ChildProcess[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'handrail-one-line-'));
  temp = join(home, 'tmp');
  await mkdir(temp);
  pages = {};
  received = [];
  app = await serveHttp((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!;
    const page = pages[path];
    if (page !== undefined) {
      response.writeHead(200, { 'content-type': page.type }).end(page.body);
      return;
    }
    if (!path.startsWith('/pets')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no such path"}');
      return;
    }
    received.push({ path, authorization: request.headers.authorization });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"pets":["Rex"]}');
  });
});
afterEach(async () => {
  for (const child of children.splice(0))
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  await app.close();
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
});

const environment = () => ({ HOME: home, XDG_CONFIG_HOME: join(home, '.config'), TMPDIR: temp });

interface Event {
  readonly event: string;
  readonly mcp: string;
  readonly url: string;
  readonly tools: Readonly<Record<string, number>>;
  readonly tool: string;
  readonly outcome: string;
}

/** Starts the command, and reads the events it prints. */
async function open(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawnHandrail([...args, '--json'], { ...environment(), ...env }, home);
  children.push(child);
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async (): Promise<Event> => {
    const line = await lines.next();
    if (line.done) throw new Error(`it ended: ${stderr}`);
    return JSON.parse(line.value) as Event;
  };
  const listening = await next();
  const client = new Client({ name: 'one-line', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(listening.mcp)));
  const names = () => namesOf(client);
  return {
    listening,
    client,
    names,
    next,
    stderr: () => stderr,
    async stop() {
      await client.close();
      child.kill('SIGTERM');
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code, stderr).toBe(0);
    },
  };
}

/** The tools that a client sees, without the gateway's own. */
async function namesOf(client: Client): Promise<string[]> {
  const { tools } = await client.listTools();
  return tools.flatMap(({ name }) => (name === 'read_reply' ? [] : [name])).toSorted();
}

async function writeDocument(document: object): Promise<string> {
  const path = join(home, 'pets.json');
  await writeFile(path, JSON.stringify(document));
  return path;
}

it('serves a file at once, shows each call, and keeps nothing', async () => {
  const path = await writeDocument(description);
  const opened = await open([path, '--base-url', app.origin.replace('http://', '')]);
  expect(opened.listening).toMatchObject({
    event: 'listening',
    name: 'Pets',
    tools: { read: 1, write: 1, destructive: 1 },
  });
  expect(await opened.names()).toEqual(['addPet', 'listPets', 'removePet']);
  expect(await opened.client.callTool({ name: 'listPets', arguments: {} })).toMatchObject({
    content: [{ type: 'text', text: '{"pets":["Rex"]}' }],
  });
  expect(await opened.next()).toMatchObject({ event: 'call', tool: 'listPets', outcome: 'ok', status: 200 });
  await opened.stop();
  expect(await readdir(temp)).toEqual([]);
  expect(await readdir(home)).toEqual(['pets.json', 'tmp']);
});

const json = (value: unknown) => ({ type: 'application/json', body: JSON.stringify(value) });
const html = (body: string) => ({ type: 'text/html', body });

it('finds the description of a running app by its documentation page', async () => {
  const page = '<script>SwaggerUIBundle({ url: "/internal/spec.json", dom_id: "#ui" })</script>';
  pages = { '/docs': html(page), '/internal/spec.json': json(description) };
  const opened = await open([`localhost:${app.port}`]);
  await opened.client.callTool({ name: 'listPets', arguments: {} });
  expect(received.map(({ path }) => path)).toEqual(['/pets']);
  await opened.stop();
});

it('says what it looked for where there is no description, and where nothing responds', async () => {
  const none = await runHandrail([app.origin], environment());
  expect(none.code).toBe(2);
  expect(none.stderr).toMatch(
    /No API description was found at http:\/\/127\.0\.0\.1:\d+\/, which answers HTTP 404 \(\d+ addresses tried\)/,
  );
  await app.close();
  const gone = await runHandrail([app.origin], environment());
  expect(gone.code).not.toBe(0);
  expect(gone.stderr).toContain(String(app.port));
  app = await serveHttp(() => {});
  expect(await readdir(temp)).toEqual([]);
});

it('allows the address that was typed, and no other private one', async () => {
  const opened = await open([await writeDocument({ ...description, servers: [{ url: app.origin }] })]);
  const refused = await opened.client.callTool({ name: 'listPets', arguments: {} });
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.stringify(refused)).toContain('private network');
  expect(received).toEqual([]);
  await opened.stop();
  // A page of an allowed app can't make it fetch a description from a place that wasn't typed.
  const inside = await serveHttp((_request, response) => response.end(JSON.stringify(description)));
  pages = { '/': html(`<redoc spec-url="${inside.origin}/openapi.json"></redoc>`) };
  expect((await runHandrail([app.origin], environment())).code).toBe(2);
  expect(inside.seen).toBe(0);
  await inside.close();
});

it('offers only what reads, what was selected, and in the mode that was asked for', async () => {
  const path = await writeDocument({ ...description, servers: [{ url: app.origin }] });
  const reading = await open([path, '--read-only']);
  expect(await reading.names()).toEqual(['listPets']);
  expect(reading.listening.tools).toEqual({ read: 1, write: 0, destructive: 0 });
  await reading.stop();
  const selected = await open([
    path,
    '--select',
    'method:POST',
    '--select',
    'method:GET',
    '--mode',
    'search',
  ]);
  expect(await selected.names()).not.toContain('addPet');
  expect(await selected.names()).toContain('search_tools');
  expect(selected.listening.tools).toEqual({ read: 1, write: 1, destructive: 0 });
  await selected.stop();
});

it('sends the credential of the environment, and shows it nowhere', async () => {
  pages = { '/openapi.json': json(secured) };
  const opened = await open([app.origin], { HANDRAIL_CREDENTIAL: 'tok-canary-1234567890' });
  const answer = await opened.client.callTool({ name: 'listPets', arguments: {} });
  expect(received).toEqual([{ path: '/pets', authorization: 'Bearer tok-canary-1234567890' }]);
  const shown = JSON.stringify([opened.listening, answer, await opened.next()]) + opened.stderr();
  expect(shown).not.toContain('tok-canary');
  await opened.stop();
});

it('calls without a credential that nobody gave, and says so', async () => {
  pages = { '/openapi.json': json(secured) };
  const opened = await open([app.origin]);
  const answer = await opened.client.callTool({ name: 'listPets', arguments: {} });
  expect([answer.isError ?? false, received]).toEqual([false, [{ path: '/pets', authorization: undefined }]]);
  await opened.stop();
});

it('says why a description has no tools', async () => {
  const path = await writeDocument({ ...description, paths: { '/broken': { post: 'no operation' } } });
  const { stderr } = await runHandrail([path], environment());
  expect(stderr).toMatch(/no operation that can be a tool with these options: POST \/broken: \S+/);
});

it('refuses a credential that the API has no place for', async () => {
  const path = await writeDocument(description);
  const { code, stderr } = await runHandrail([path, '--credential', 'tok-canary-1234567890'], environment());
  expect(code).toBe(2);
  expect(stderr).toContain('--auth bearer');
  expect(stderr).not.toContain('tok-canary');
});

it('is started by a client as a program of its own', async () => {
  pages = { '/openapi.json': json(secured) };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../../dist/main.js'), 'stdio', app.origin, '--read-only'],
    env: { ...environment(), HANDRAIL_CREDENTIAL: 'tok-1' },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'one-line', version: '1' });
  await client.connect(transport);
  expect(await namesOf(client)).toEqual(['listPets']);
  expect(await client.callTool({ name: 'listPets', arguments: {} })).toMatchObject({
    content: [{ text: '{"pets":["Rex"]}' }],
  });
  expect(received).toEqual([{ path: '/pets', authorization: 'Bearer tok-1' }]);
  await client.close();
  await expect.poll(() => readdir(temp)).toEqual([]);
});

it('adds itself to the clients that are here, as a program that they start, without the credential', async () => {
  pages = { '/openapi.json': json(secured) };
  await mkdir(join(home, '.cursor'));
  const options = ['--connect', '--yes', '--read-only', '--credential', 'tok-canary-1234567890'];
  const opened = await open([app.origin, ...options]);
  await expect.poll(() => opened.stderr()).toContain('is not written to any file');
  await opened.stop();
  const written = await readFile(join(home, '.cursor', 'mcp.json'), 'utf8');
  expect(written).not.toContain('tok-canary');
  const { mcpServers } = JSON.parse(written) as {
    mcpServers: Record<string, { command: string; args: string[] }>;
  };
  const [name, entry] = Object.entries(mcpServers)[0]!;
  expect(name).toBe('handrail-pets');
  const client = new Client({ name: 'one-line', version: '1' });
  await client.connect(new StdioClientTransport({ ...entry, env: environment(), stderr: 'pipe' }));
  expect(await namesOf(client)).toEqual(['listPets']);
  await client.close();
  expect(await readdir(join(home, '.cursor'))).toEqual(['mcp.json']);
});

it('asks before it adds itself to a client, so it needs someone to ask', async () => {
  await mkdir(join(home, '.cursor'));
  const { code, stderr } = await runHandrail([await writeDocument(description), '--connect'], environment());
  expect(code).toBe(2);
  expect(stderr).toContain('--yes');
  expect(await readdir(join(home, '.cursor'))).toEqual([]);
});

it('keeps the API with --save, and serves it again', async () => {
  const path = await writeDocument({ ...description, servers: [{ url: app.origin }] });
  const folder = join(home, 'kept');
  for (const _ of ['first', 'again']) {
    const opened = await open([path, '--save', '--data-dir', folder]);
    expect(opened.listening.mcp).toBe(`${opened.listening.url}/mcp/pets`);
    expect(await opened.names()).toEqual(['addPet', 'listPets', 'removePet']);
    await opened.stop();
  }
  const listed = await runHandrail(['tools', '--data-dir', folder], environment());
  expect(listed.stdout).toContain('listPets');
  expect(await readdir(temp)).toEqual([]);
});

it('shows the first screen to people', async () => {
  const paths = { ...secured.paths, '/broken': { post: 'no operation' } };
  const path = await writeDocument({ ...secured, paths, servers: [{ url: app.origin }] });
  const child = spawnHandrail([path], environment(), home);
  children.push(child);
  const shown: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    shown.push(line);
    if (line.startsWith('Calls appear here')) break;
  }
  const screen = shown.join('\n');
  expect(screen).toContain(`Pets  calls go to ${app.origin}`);
  expect(screen).toContain('3 tools: 1 that read, 1 that write, 1 that delete or overwrite');
  expect(screen).toMatch(/MCP +http:\/\/127\.0\.0\.1:\d+\/mcp/);
  expect(screen).toContain(`--base-url ${app.origin}`);
  expect(screen).toContain('HANDRAIL_CREDENTIAL');
  expect(screen).toMatch(/1 operation left out:\n {2}POST \/broken: \S+/);
  expect(screen).toContain('claude mcp add --transport http handrail-pets');
});

it('takes a word that is neither command, file nor URL for a typo', async () => {
  const typo = await runHandrail(['imprt'], environment());
  expect(typo.code).toBe(2);
  expect(typo.stderr).toContain('unknown command "imprt"');
  expect(typo.stderr).toContain('Did you mean import');
  const missing = await runHandrail(['no-such-file.yaml'], environment());
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('There is no file no-such-file.yaml');
  expect(await readdir(temp)).toEqual([]);
});
