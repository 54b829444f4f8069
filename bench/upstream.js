import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, start, waitForPort } from './processes.js';

const slowServer = fileURLToPath(new URL('./variants/slow-upstream.js', import.meta.url));

/** The reply that every variant has to return: about 1 KB of JSON. */
export const replyText = JSON.stringify({
  id: 7,
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  roles: ['admin', 'author'],
  address: { street: '12 St. James Square', city: 'London', country: 'GB' },
  notes: Array.from(
    { length: 12 },
    (_, i) => `note ${i}: the quick brown fox jumps over the lazy dog, again`,
  ),
});

/** A reply of the same kind with about this many bytes. */
export function longReplyText(bytes) {
  const rows = [];
  for (let length = 0; length < bytes; length += replyText.length + 1) rows.push(replyText);
  return `[${rows.join(',')}]`;
}

/** An API that takes `waitMs` for each reply. */
export async function startSlowUpstream(pin, waitMs) {
  const port = await freePort();
  const child = start(process.execPath, [slowServer, String(port), String(waitMs), replyText], { pin });
  await waitForPort(port);
  return { url: `http://127.0.0.1:${port}`, stop: () => child.stop() };
}

/** Starts the upstream: nginx if installed, so that it is never the bottleneck; otherwise a node:http server. */
export async function startUpstream(pin, text = replyText) {
  const nginx = findNginx();
  const port = await freePort();
  if (nginx === undefined) {
    const server = createServer((_req, res) => {
      res.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      res.end(text);
    });
    await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
    return {
      kind: 'node:http (nginx is not installed)',
      url: `http://127.0.0.1:${port}`,
      stop: () => server.close(),
    };
  }
  const child = startNginx(nginx, pin, (folder) => {
    writeFileSync(join(folder, 'reply.json'), text);
    // A model reads the version of a thing as one more line, and the other upstream sends none.
    return `etag off; open_file_cache max=10 inactive=600s; open_file_cache_valid 600s;
  server { listen 127.0.0.1:${port}; default_type application/json; location / { root ${folder}; try_files /reply.json =404; } }`;
  });
  await waitForPort(port);
  return { kind: 'nginx', url: `http://127.0.0.1:${port}`, stop: () => child.stop() };
}

/** Where nginx is, if it is installed. */
export function findNginx() {
  return ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));
}

/**
 * Starts an nginx with one worker; `serve` writes the content of its `http` block, and may put files into its
 * folder.
 */
export function startNginx(program, pin, serve) {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-bench-nginx-'));
  // Its workers may run as another user.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'logs'));
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; keepalive_timeout 600s; tcp_nodelay on;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  ${serve(folder)}
}`,
  );
  return start(program, ['-p', folder, '-c', config], { pin });
}
