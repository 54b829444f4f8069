// Kills the gateway with SIGKILL while scripts change things. No change may happen twice, every change in
// progress must be reported as unknown afterwards, none that is reported as done may be missing, and the
// gateway must start and answer.
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, serve } from './support/serving.js';

const kills = Number(process.argv[2] ?? 300);
const folder = mkdtempSync(join(tmpdir(), 'handrail-code-kills-'));
const dataDir = join(folder, 'data');
const scriptsAtOnce = 3;
// The same moments on every run.
let seed = Number(process.env.HANDRAIL_SEED ?? 1);
const draw = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

function deny(condition, message) {
  if (!condition) return;
  console.error(`FAILED: ${message}`);
  process.exit(1);
}

/** How often each change arrived. */
const arrived = new Map();
const upstream = createServer((request, response) => {
  const key = new URL(request.url, 'http://x').searchParams.get('key');
  arrived.set(key, (arrived.get(key) ?? 0) + 1);
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'), draw() * 60);
});
await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${upstream.address().port}`;

/** Runs reported as interrupted, and those of them with a change whose outcome is unknown. */
const interrupted = new Set();
const unknown = new Set();
let reported = 0;

/** Every interrupted run that was recorded, with its changes. */
async function checkRecords(url, kill) {
  const { body } = await ask(url, 'GET', '/calls?outcome=script_interrupted&limit=500');
  for (const { id, message } of body.items) {
    if (interrupted.has(id)) continue;
    interrupted.add(id);
    if (message?.includes('Outcome unknown')) unknown.add(id);
    const record = (await ask(url, 'GET', `/calls/${id}`)).body;
    reported += record.steps.length;
    for (const { note } of record.steps)
      deny(!['done', 'failed', 'not begun', 'unknown'].includes(note), `kill ${kill}: a change is "${note}"`);
  }
}

for (let kill = 1; kill <= kills; kill++) {
  const { url, child, exited } = await serve(dataDir, ['--egress-allow', '127.0.0.1']);
  if (kill === 1) {
    await ask(url, 'POST', '/apis', { slug: 'shop', baseUrl: origin });
    await ask(url, 'POST', '/tools', {
      api: 'shop',
      name: 'make',
      description: 'Makes a thing.',
      operation: {
        method: 'POST',
        path: '/things',
        parameters: [{ name: 'key', in: 'query', required: true, schema: { type: 'string' } }],
      },
    });
  }
  await checkRecords(url, kill);
  const running = Array.from({ length: scriptsAtOnce }, (_, n) =>
    ask(url, 'POST', '/servers/default/run', {
      code: `for (let i = 0; i < 50; i++) await tools.shop.make({ key: "${kill}-${n}-" + i }); return "all"`,
    }).catch(() => null),
  );
  const before = arrived.size;
  while (arrived.size === before) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, draw() * 300));
  child.kill('SIGKILL');
  await exited;
  await Promise.all(running);
  for (const [key, times] of arrived) deny(times > 1, `kill ${kill}: ${key} was changed ${times} times`);
}

const { url, child, exited } = await serve(dataDir, ['--egress-allow', '127.0.0.1']);
// Each run that changed something was cut off: none lasts as long as it was allowed to.
const cut = new Set([...arrived.keys()].map((key) => key.slice(0, key.lastIndexOf('-'))));
for (let looks = 0; interrupted.size < cut.size && looks < 600; looks++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  await checkRecords(url, kills);
}
deny(interrupted.size < cut.size, `${interrupted.size} of ${cut.size} runs are reported as interrupted`);
deny(unknown.size === 0, 'no change is reported as unknown');
deny(reported < arrived.size, `${arrived.size} changes arrived, and ${reported} are reported`);
const { body } = await ask(url, 'POST', '/servers/default/run', { code: 'return 1' });
deny(body?.result !== '1', 'the gateway no longer runs scripts');
child.kill('SIGTERM');
await exited;
upstream.close();
upstream.closeAllConnections();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
console.log(
  `${kills} kills: ${arrived.size} changes, none twice; ${interrupted.size} interrupted runs reported, ${unknown.size} with a change whose outcome is unknown`,
);
