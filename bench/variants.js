import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase } from './database.js';
import { freePort, residentMb, start, waitForPort } from './processes.js';
import { findNginx, startNginx } from './upstream.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const peers = here('./peers');
/** The built command line. */
export const main = here('../dist/main.js');
const node = process.execPath;

/** The check that an answer contains the upstream's reply. */
const check = 'Ada Lovelace';
const json = { 'content-type': 'application/json' };
const both = { ...json, accept: 'application/json, text/event-stream' };

/** A `tools/call` of revision 2026-07-28, as a modern client sends it. */
export function modernCall(name) {
  return {
    headers: { ...both, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: {
        name,
        arguments: { id: 7 },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        },
      },
    }),
    check,
  };
}

/** A `tools/call` of a legacy revision. */
export function legacyCall(name) {
  return {
    headers: both,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name, arguments: { id: 7 } },
    }),
    check,
  };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** Opens a session if a server needs one, and returns the headers that carry it. */
async function openSession(url) {
  const response = await fetch(url, { method: 'POST', headers: both, body: JSON.stringify(initialize) });
  await response.text();
  const id = response.headers.get('mcp-session-id');
  if (id === null) return {};
  await fetch(url, {
    method: 'POST',
    headers: { ...both, 'mcp-session-id': id },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  });
  return { 'mcp-session-id': id };
}

/** An OpenAPI document of `count` operations that all call the upstream. */
export function openApiDocument(upstream, count = 1) {
  const paths = {};
  for (let i = 0; i < count; i++) {
    paths[i === 0 ? '/users/{id}' : `/group${i}/users/{id}`] = {
      get: {
        operationId: i === 0 ? 'get_user' : `get_user_${i}`,
        summary: `Get a user of group ${i} by id, with roles, address and notes`,
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            description: 'The id of the user',
            schema: { type: 'integer' },
          },
          { name: 'fields', in: 'query', description: 'Fields to return', schema: { type: 'string' } },
        ],
        responses: { 200: { description: 'The user' } },
      },
    };
  }
  return {
    openapi: '3.0.3',
    info: { title: 'bench', version: '1.0.0' },
    servers: [{ url: upstream }],
    paths,
  };
}

async function simple(script, upstream, pin, args, target) {
  const port = await freePort();
  const child = start(node, [here(script), String(port), upstream, ...args], { pin });
  await waitForPort(port);
  return { ...child, target: { url: `http://127.0.0.1:${port}/mcp`, ...target } };
}

/**
 * Starts the gateway with a new data folder, one API, its tools, and a server that requires a key and limits
 * the rate.
 */
export async function startHandrail(
  upstream,
  pin,
  {
    program = main,
    tools = 1,
    document,
    args = [],
    nodeArgs = [],
    env = {},
    call = modernCall,
    limits,
    server,
  } = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'handrail-bench-'));
  const token = 'bench-admin-token-0123456789';
  const command = [...nodeArgs, program, 'serve', '--port', '0', '--no-demo', '--json'];
  const launch = async () => {
    let heard;
    const child = start(node, [...command, '--data-dir', dataDir, '--log-level', 'warn', ...args], {
      pin,
      env: { HANDRAIL_ADMIN_TOKEN: token, HANDRAIL_EGRESS_ALLOW: '127.0.0.1', ...env },
      onOutput: (text) => heard?.(/"url":"([^"]+)"/.exec(text)?.[1]),
    });
    const url = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The gateway did not start: ${child.tail()}`)), 30_000);
      heard = (found) => {
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(found);
      };
    });
    return { child, url };
  };
  let { child, url } = await launch();
  const admin = async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...json, authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const text = JSON.stringify(document ?? openApiDocument(upstream, tools));
  await admin('POST', '/imports', { text, api: 'bench', baseUrl: upstream });
  if (limits !== undefined) await admin('PATCH', '/apis/bench', { limits });
  await admin('POST', '/servers', {
    slug: 'bench',
    tools: [{ api: 'bench' }],
    policy: { kind: 'key' },
    ratePerMinute: 1_000_000_000,
    ...server,
  });
  const { key } = await admin('POST', '/keys', { name: 'bench', servers: ['bench'] });
  const { headers, ...rest } = call('get_user');
  return {
    pid: child.pid,
    tail: () => child.tail(),
    dataDir,
    admin,
    metrics: async () =>
      (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text(),
    target: { url: `${url}/mcp/bench`, headers: { ...headers, authorization: `Bearer ${key}` }, ...rest },
    /** Restarts it on the same data folder; returns how long it took to listen, and its memory a moment later. */
    restart: async () => {
      await child.stop();
      const beganMs = performance.now();
      ({ child, url } = await launch());
      const startMs = performance.now() - beganMs;
      // The code that serves MCP is loaded once it listens.
      await fetch(`${url}/mcp/bench`, { method: 'POST', headers: json, body: '{}' });
      return { startMs, idleMb: residentMb(child.pid) };
    },
    stop: async () => {
      await child.stop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The cost of forwarding a request and its reply unread: a proxy that knows nothing about MCP. */
async function plainProxy(upstream, pin) {
  const program = findNginx();
  if (program === undefined) throw new Error('nginx is not installed');
  const port = await freePort();
  const child = startNginx(
    program,
    pin,
    () => `upstream api { server ${new URL(upstream).host}; keepalive 512; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://api/users/7; proxy_method GET; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_max_temp_file_size 0; proxy_pass_request_body off; proxy_set_header Content-Length ""; }
  }`,
  );
  await waitForPort(port);
  return { ...child, target: { url: `http://127.0.0.1:${port}/mcp`, ...modernCall('get_user') } };
}

async function onPostgres(upstream, pin, tools) {
  const database = await createDatabase(process.env.BENCH_POSTGRES);
  const gateway = await startHandrail(upstream, pin, {
    tools,
    env: { DATABASE_URL: database.url, HANDRAIL_SECRET_KEY: randomBytes(32).toString('base64') },
  });
  return {
    ...gateway,
    async stop() {
      await gateway.stop();
      await database.drop();
    },
  };
}

async function generated(upstream, pin, tools) {
  const port = await freePort();
  const { file, folder, remove } = writeDocument(upstream, tools);
  const bin = (name) => join(peers, 'node_modules', '.bin', name);
  const out = join(folder, 'out');
  execFileSync(
    node,
    [bin('openapi-mcp-generator'), '-i', file, '-o', out, '-t', 'streamable-http', '-p', String(port)],
    { stdio: 'ignore' },
  );
  symlinkSync(join(peers, 'node_modules'), join(out, 'node_modules'));
  execFileSync(node, [bin('tsc'), '-p', out], { stdio: 'ignore', cwd: out });
  const child = start(node, [join(out, 'build', 'index.js'), '--transport=streamable-http'], {
    pin,
    cwd: out,
  });
  await waitForPort(port);
  const url = `http://127.0.0.1:${port}/mcp`;
  const { headers, ...rest } = legacyCall('get_user');
  return {
    ...child,
    target: { url, ...rest, headers: { ...headers, ...(await openSession(url)) } },
    stop: () => child.stop().then(remove),
  };
}

/** Every variant by name, and how it is started. The others are compared with the first one. */
export const variants = {
  floor: (upstream, pin) => simple('./variants/floor-server.js', upstream, pin, [], modernCall('get_user')),
  'floor that gathers': (upstream, pin) =>
    simple('./variants/gathering-floor-server.js', upstream, pin, [], modernCall('get_user')),
  'nginx, plain proxy': plainProxy,
  handrail: (upstream, pin, tools) => startHandrail(upstream, pin, { tools }),
  ...(process.env.BENCH_POSTGRES && { 'handrail, PostgreSQL': onPostgres }),
  'handrail, legacy': (upstream, pin, tools) => startHandrail(upstream, pin, { tools, call: legacyCall }),
  'handrail, no budget': (upstream, pin, tools) =>
    startHandrail(upstream, pin, { tools, args: ['--reply-max-tokens', '0'] }),
  'handrail, 1,000 at once': (upstream, pin, tools) =>
    startHandrail(upstream, pin, { tools, limits: { maxConcurrent: 1_000 } }),
  'handrail, no fast lane': (upstream, pin, tools) =>
    startHandrail(upstream, pin, { tools, args: ['--no-fast-lane'] }),
  'SDK v2, low-level Server': (upstream, pin) =>
    simple('./variants/sdk-v2-server.js', upstream, pin, [], modernCall('get_user')),
  'SDK v1, per request': (upstream, pin) =>
    simple('./variants/sdk-v1-server.js', upstream, pin, [], legacyCall('get_user')),
  '@ivotoby/openapi-mcp-server 1.16.1': ivotoby,
  'fastmcp 4.20.16, sessions': (upstream, pin, tools) => fastmcp(upstream, pin, tools, 'sessions'),
  'fastmcp 4.20.16, stateless': (upstream, pin, tools) => fastmcp(upstream, pin, tools, 'stateless'),
  'openapi-mcp-generator 4.0.1': generated,
};

/** The variants that can be started with any number of tools. */
export const listers = {
  // Every tool, and none of its own.
  handrail: (upstream, pin, tools) =>
    startHandrail(upstream, pin, { tools, server: { mode: 'direct', replyMaxTokens: 0 } }),
  '@ivotoby/openapi-mcp-server 1.16.1': variants['@ivotoby/openapi-mcp-server 1.16.1'],
  'fastmcp 4.20.16, sessions': variants['fastmcp 4.20.16, sessions'],
  'openapi-mcp-generator 4.0.1': variants['openapi-mcp-generator 4.0.1'],
};

// It accepts a call with 202 and answers on the session's GET stream: a caller that reads only the POST sees
// nothing.
async function ivotoby(upstream, pin, tools) {
  const port = await freePort();
  const document = writeDocument(upstream, tools);
  const bin = join(peers, 'node_modules', '.bin', 'openapi-mcp-server');
  const args = ['--transport', 'http', '--port', String(port), '--host', '127.0.0.1', '--path', '/mcp'];
  const child = start(
    node,
    [bin, ...args, '--api-base-url', upstream, '--openapi-spec', document.file, '--disable-abbreviation'],
    { pin },
  );
  await waitForPort(port);
  const url = `http://127.0.0.1:${port}/mcp`;
  const session = await openSession(url);
  const { headers, ...rest } = legacyCall(await toolNamed(url, { ...both, ...session }));
  return {
    ...child,
    target: { url, ...rest, headers: { ...headers, ...session }, openSession: () => openSession(url) },
    stop: () => child.stop().then(document.remove),
  };
}

async function fastmcp(upstream, pin, tools, mode) {
  const port = await freePort();
  const document = writeDocument(upstream, tools);
  const child = start(node, [here('./variants/fastmcp-server.js'), String(port), document.file, mode], {
    pin,
  });
  await waitForPort(port);
  const url = `http://127.0.0.1:${port}/mcp`;
  const session = mode === 'stateless' ? {} : await openSession(url);
  const name = await toolNamed(url, { ...both, ...session });
  const { headers, ...rest } = legacyCall(name);
  return {
    ...child,
    target: { url, ...rest, headers: { ...headers, ...session } },
    stop: () => child.stop().then(document.remove),
  };
}

/** A document, or the one with a number of tools, in a separate file. */
export function writeDocument(upstream, tools) {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-bench-document-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(typeof tools === 'object' ? tools : openApiDocument(upstream, tools)));
  return { file, folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) };
}

/** The name of the tool that is called: the first that is about users, otherwise the first. */
export async function toolNamed(url, headers) {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
  });
  const text = await response.text();
  const [, name] = /"name":"([^"]*(?:user)[^"]*)"/i.exec(text) ?? /"name":"([^"]+)"/.exec(text) ?? [];
  if (!name) throw new Error(`No tool found: ${text.slice(0, 300)}`);
  return name;
}

/** Whether the packages of bench/peers are installed. */
export function peersInstalled() {
  return existsSync(join(peers, 'node_modules'));
}

/** Variants that need only this repository's own packages. */
export const ownVariants = [
  'floor',
  'floor that gathers',
  'nginx, plain proxy',
  'handrail',
  'handrail, PostgreSQL',
  'handrail, legacy',
  'handrail, no fast lane',
  'SDK v2, low-level Server',
];
