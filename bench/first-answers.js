import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { head, quartiles, row } from './statistics.js';
import { main, startHandrail } from './variants.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const openings = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
  'server/discover': { _meta: meta },
};

/** From the start of a process that serves over stdio to its first answer, compared with Node's own startup. */
export async function benchFirstAnswers(upstream, starts) {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-bench-stdio-'));
  const gateway = await startHandrail(upstream.url, []);
  const key = gateway.target.headers.authorization.slice('Bearer '.length);
  const known = join(folder, 'known');
  let fresh = 0;
  const ways = {
    'a data folder': () => ['stdio', '--data-dir', known],
    'a new data folder': () => ['stdio', '--data-dir', join(folder, `new${fresh++}`)],
    'a gateway elsewhere (--url)': () => ['stdio', '--url', gateway.target.url, '--key', key],
  };
  try {
    await firstAnswer(ways['a data folder'](), 'initialize');
    const times = new Map([['Node itself (node -e 0)', []]]);
    for (let i = 0; i < starts; i++) {
      times.get('Node itself (node -e 0)').push(await startOfNode());
      for (const [name, args] of Object.entries(ways)) {
        for (const method of Object.keys(openings)) {
          const label = `${name}, ${method}`;
          times.set(label, [...(times.get(label) ?? []), await firstAnswer(args(), method)]);
        }
      }
    }
    console.log('\n### stdio: from the start of the process to the first answer\n');
    console.log(
      head(['what is served, first message', 'lower quartile', 'median', 'upper quartile', 'worst']),
    );
    for (const [label, values] of times) {
      console.log(
        row([label, ...[...quartiles(values), Math.max(...values)].map((ms) => `${ms.toFixed(0)} ms`)]),
      );
    }
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function startOfNode() {
  const beganMs = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - beganMs;
}

async function firstAnswer(args, method) {
  const beganMs = performance.now();
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: openings[method] })}\n`);
  let text = '';
  const tookMs = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(performance.now() - beganMs);
    });
    child.once('exit', (code) => reject(new Error(`handrail stdio ended with ${code}`)));
  });
  if (!text.includes('"result"')) throw new Error(`handrail stdio answered ${text}`);
  child.stdin.end();
  await gone;
  return tookMs;
}
