// A gateway whose tools call a server that keeps the last request it received.
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { startGateway } from '../../support/gateway-process.mjs';

// Operations and paths that name servers of their own would leave for them.
const stayHere = JSON.stringify({
  overlay: '1.0.0',
  info: { title: 'Here', version: '1' },
  actions: [
    { target: '$.paths[*].servers', remove: true },
    { target: '$.paths[*][*].servers', remove: true },
  ],
});

/** Starts both; `publish` imports a document as a server of its own, `call` calls a tool and tells what arrived. */
export async function startRecordedCalls() {
  let last = null;
  const upstream = createServer((request, answer) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const at = request.url.indexOf('?');
      last = {
        path: at < 0 ? request.url : request.url.slice(0, at),
        query: at < 0 ? '' : request.url.slice(at + 1),
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      answer.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const gateway = await startGateway(['--no-demo', '--egress-allow', '127.0.0.1/32']);

  async function admin(method, path, body) {
    const answer = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json).slice(0, 500)}`);
    return json;
  }

  async function toolsOf(slug) {
    const tools = new Map();
    let cursor;
    do {
      const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const page = await admin('GET', `/tools?api=${slug}&limit=100${next}`);
      for (const tool of page.items) tools.set(tool.name, tool);
      cursor = page.nextCursor;
    } while (cursor);
    return tools;
  }

  return {
    /** The tools of a document, by operation (`GET /users`) and by their place in it. */
    async publish(path, bytes, isOpenApi) {
      const slug = basename(path)
        .replace(/\.[a-z]+$/i, '')
        .replace(/[^A-Za-z0-9]+/g, '-')
        .toLowerCase()
        .slice(0, 40);
      const { imports } = await admin('POST', '/imports', {
        files: [{ name: basename(path), content: bytes.toString('base64') }],
        api: slug,
        baseUrl: `http://127.0.0.1:${upstream.address().port}`,
        auth: { kind: 'none' },
        ...(isOpenApi && { overlays: [{ name: 'here.json', text: stayHere }] }),
      });
      await admin('POST', '/servers', {
        slug,
        name: slug,
        tools: [{ api: slug }],
        policy: { kind: 'open' },
        ratePerMinute: 0,
      });
      const tools = await toolsOf(slug);
      const found = new Map();
      for (const { report } of imports)
        for (const line of report)
          if (line.tool) {
            found.set(line.operation, tools.get(line.tool));
            found.set(line.at, tools.get(line.tool));
          }
      return { slug, find: (operation) => found.get(operation) };
    },
    /** What arrived at the server, or null and why the call was refused. */
    async call(slug, name, args) {
      last = null;
      const answer = await fetch(`${gateway.url}/mcp/${slug}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      });
      const { result, error } = await answer.json();
      if (error) return { arrived: null, why: error.message };
      return { arrived: last, why: result.isError ? result.content.map(({ text }) => text).join(' ') : null };
    },
    async stop() {
      await gateway.stop();
      await new Promise((resolve) => upstream.close(resolve));
    },
  };
}
