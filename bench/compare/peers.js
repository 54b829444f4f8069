import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, start, waitForPort } from '../processes.js';
import { legacyCall, startHandrail, toolNamed, variants, writeDocument } from '../variants.js';
import { installCargo, installPython } from './install.js';

const startMs = 180_000;

/**
 * What is compared. `start` serves a document whose API is at `upstream`, and returns the process, where it answers
 * calls, and how to stop it; `command` is what a reader would type. Those without an import of documents get one tool per
 * request from this script.
 */
export const peers = [
  {
    name: 'Handrail',
    command: 'handrail serve',
    // Every tool in its list; by default, long lists are searched instead.
    start: (upstream, pin, document) =>
      startHandrail(upstream, pin, { document, call: legacyCall, server: { mode: 'direct' } }),
  },
  {
    name: '@ivotoby/openapi-mcp-server 1.16.1',
    command: 'openapi-mcp-server --transport http --openapi-spec FILE --api-base-url URL',
    start: variants['@ivotoby/openapi-mcp-server 1.16.1'],
  },
  {
    name: 'fastmcp (npm) 4.20.16',
    command: 'fromOpenAPI, httpStream, stateless',
    start: variants['fastmcp 4.20.16, stateless'],
  },
  {
    name: 'openapi-mcp-generator 4.0.1',
    command: 'openapi-mcp-generator -t streamable-http, tsc, node',
    start: variants['openapi-mcp-generator 4.0.1'],
  },
  {
    name: 'FastMCP (PyPI) 4.1.2',
    command: 'FastMCP.from_openapi, http, stateless',
    start: startFastMcp,
  },
  {
    name: 'mcpo 0.0.20 in front of FastMCP',
    command: 'mcpo --server-type streamable-http -- URL',
    isRest: true,
    // It reads the list of the server before it.
    importsNothing: true,
    start: startMcpo,
  },
  {
    name: 'ContextForge 1.0.7.post20260921',
    command: 'mcpgateway mcpgateway.main:app',
    importsNothing: true,
    start: startContextForge,
  },
  {
    name: 'agentgateway, newest',
    command: 'agentgateway -f config.yaml',
    start: startAgentGateway,
  },
];

async function startFastMcp(upstream, pin, document) {
  const bin = await installPython('fastmcp', '4.1.2');
  const port = await freePort();
  const { file, remove } = writeDocument(upstream, document);
  const script = fileURLToPath(new URL('./fastmcp-server.py', import.meta.url));
  const child = start(join(bin, 'python'), [script, String(port), file, upstream], { pin });
  await listens(child, port);
  return served(child, `http://127.0.0.1:${port}/mcp`, {}, remove);
}

/** It turns MCP servers into REST, so one is started for it. */
async function startMcpo(upstream, pin, document) {
  // It doesn't start with the newest versions of these, which its own requirements allow.
  const bin = await installPython('mcpo', '0.0.20', ['mcp<2', 'fastapi<0.116']);
  const server = await startFastMcp(upstream, pin, document);
  const port = await freePort();
  const args = ['--port', String(port), '--host', '127.0.0.1', '--server-type', 'streamable-http'];
  const child = start(join(bin, 'mcpo'), [...args, '--', server.target.url], { pin });
  await listens(child, port);
  const url = `http://127.0.0.1:${port}`;
  return {
    ...child,
    pids: [child.pid, server.pid],
    documentUrl: `${url}/openapi.json`,
    target: {
      ...server.target,
      url: `${url}/${server.name}`,
      body: JSON.stringify({ id: 7 }),
    },
    async stop() {
      await child.stop();
      await server.stop();
    },
  };
}

async function startContextForge(upstream, pin, document) {
  const bin = await installPython('mcp-contextforge-gateway', '1.0.7.post20260921');
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'handrail-bench-forge-'));
  const password = 'Bench-Password-1!';
  const child = start(
    join(bin, 'mcpgateway'),
    ['mcpgateway.main:app', '--host', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    {
      pin,
      cwd: folder,
      env: {
        JWT_SECRET_KEY: randomBytes(32).toString('hex'),
        AUTH_ENCRYPTION_SECRET: randomBytes(32).toString('hex'),
        DATABASE_URL: `sqlite:///${folder}/mcp.db`,
        LOG_LEVEL: 'ERROR',
        MCPGATEWAY_UI_ENABLED: 'false',
        SSRF_ALLOW_LOCALHOST: 'true',
        SSRF_ALLOW_PRIVATE_NETWORKS: 'true',
        PLATFORM_ADMIN_EMAIL: 'admin@example.com',
        PLATFORM_ADMIN_PASSWORD: password,
        DEFAULT_USER_PASSWORD: password,
        PASSWORD_CHANGE_ENFORCEMENT_ENABLED: 'false',
        ADMIN_REQUIRE_PASSWORD_CHANGE_ON_BOOTSTRAP: 'false',
        TOOL_RATE_LIMIT: '1000000',
      },
    },
  );
  await listens(child, port);
  const url = `http://127.0.0.1:${port}`;
  const headers = { 'content-type': 'application/json' };
  const post = async (path, body) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${(await response.text()).slice(0, 200)}`);
    return response.json();
  };
  await delay(1_000);
  const { access_token: token } = await post('/auth/login', { email: 'admin@example.com', password });
  headers.authorization = `Bearer ${token}`;
  const ids = [];
  for (const tool of toolsOf(document, upstream)) ids.push((await post('/tools', { tool })).id);
  const { id } = await post('/servers', { server: { name: 'bench', associated_tools: ids } });
  return served(child, `${url}/servers/${id}/mcp`, { authorization: headers.authorization }, () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  );
}

/** The operations of a document as ContextForge takes them. */
function toolsOf({ paths }, upstream) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => /^(?:get|put|post|delete|patch)$/.test(method))
      .map(([method, operation]) => {
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
        return {
          name: operation.operationId,
          url: `${upstream}${path}`,
          description: operation.summary ?? operation.description ?? operation.operationId,
          integration_type: 'REST',
          request_type: method.toUpperCase(),
          input_schema: {
            type: 'object',
            properties: Object.fromEntries(
              parameters.map(({ name, schema, description }) => [
                name,
                { ...schema, ...(description && { description }) },
              ]),
            ),
            required: parameters.filter(({ required }) => required).map(({ name }) => name),
          },
        };
      }),
  );
}

async function startAgentGateway(upstream, pin, document) {
  const program = await installCargo('https://github.com/agentgateway/agentgateway', 'agentgateway');
  const port = await freePort();
  const { file, folder, remove } = writeDocument(upstream, document);
  const { hostname, port: apiPort } = new URL(upstream);
  const target = {
    name: 'bench',
    openapi: { schema: { file }, host: hostname, port: Number(apiPort) },
  };
  const config = join(folder, 'config.json');
  const routes = [{ backends: [{ mcp: { targets: [target] } }] }];
  writeFileSync(config, JSON.stringify({ binds: [{ port, listeners: [{ routes }] }] }));
  const child = start(program, ['-f', config], { pin });
  await listens(child, port);
  return served(child, `http://127.0.0.1:${port}/mcp`, {}, remove);
}

/** Waits until a process listens; otherwise ends it, and says what it wrote last. */
async function listens(child, port) {
  try {
    await waitForPort(port, startMs);
  } catch (error) {
    await child.stop();
    throw new Error(child.tail().trim().split('\n').at(-1) || error.message, { cause: error });
  }
}

/** A peer that answers MCP at a URL, and the tool that is called. */
async function served(child, url, headers, remove) {
  const stop = () => child.stop().then(remove);
  try {
    const name = await toolNamed(url, { ...legacyCall('').headers, ...headers });
    const { headers: own, ...rest } = legacyCall(name);
    return { ...child, name, target: { url, ...rest, headers: { ...own, ...headers } }, stop };
  } catch (error) {
    await stop();
    throw new Error(`${error.message} ${child.tail().slice(-300)}`, { cause: error });
  }
}
