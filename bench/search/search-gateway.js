import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../dist/config/load-config.js';
import { createGateway } from '../../dist/gateway.js';

const adminToken = 'bench-admin-token-0123456789';
const limit = 10;

/** A gateway with a server for each set, imported and searched as a client does it: through `search_tools`. */
export async function startSearchGateway(sets) {
  const dataDir = await mkdtemp(join(tmpdir(), 'handrail-bench-'));
  const flags = { adminToken, demo: false, port: 0, logLevel: 'silent', dataDir };
  const gateway = await createGateway(loadConfig({ flags }));
  const url = await gateway.listen();

  async function admin(method, path, body) {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  const ids = new Map();
  for (const { name, text, idOf } of sets) {
    await admin('POST', '/imports', { text, api: name });
    await admin('POST', '/servers', {
      slug: name,
      tools: [{ api: name }],
      policy: 'open',
      mode: 'search',
      ratePerMinute: 1_000_000_000,
    });
    const { items } = await admin('GET', `/tool-index?server=${name}`);
    ids.set(name, new Map(items.map(({ method, path }) => [`${method} ${path}`, idOf(`${method} ${path}`)])));
    // The first search waits for the index.
    await admin('GET', `/search?query=first&wait=true&server=${name}`);
  }

  return {
    /** The ids of what a search on a set's server finds, best first. */
    async search(name, query) {
      const response = await fetch(`${url}/mcp/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'search_tools', arguments: { query, limit } },
        }),
      });
      const { result } = JSON.parse(await response.text());
      const byOperation = ids.get(name);
      // A server gives some tools other names, and each its operation.
      return result.content[0].text
        .split('\n')
        .map((line) => byOperation.get(/ ([A-Z]+ \/\S*) \[/.exec(line)?.[1]))
        .filter((id) => id !== undefined)
        .slice(0, limit);
    },
    async stop() {
      await gateway.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
