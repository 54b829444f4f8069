// Kills the gateway with SIGKILL at random moments while it writes the registry and answers calls. After each kill the store must
// open, and everything that was acknowledged must be there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, serve } from './support/serving.js';

const kills = Number(process.argv[2] ?? 200);
const dataDir = join(mkdtempSync(join(tmpdir(), 'handrail-kills-')), 'data');
const expected = new Map();
let writes = 0;
let calls = 0;

function deny(condition, message) {
  if (condition) {
    console.error(`FAILED: ${message}`);
    process.exit(1);
  }
}

async function readAll(url) {
  const slugs = new Map();
  let cursor = '';
  do {
    const { body } = await ask(url, 'GET', `/apis?limit=500${cursor}`);
    for (const api of body.items) slugs.set(api.slug, api.name);
    cursor = body.nextCursor === null ? null : `&cursor=${body.nextCursor}`;
  } while (cursor !== null);
  return slugs;
}

for (let kill = 1; kill <= kills; kill++) {
  const { url, child, exited } = await serve(dataDir, []);
  const found = await readAll(url);
  for (const [slug, name] of expected) {
    if (name === null) deny(found.has(slug), `kill ${kill - 1}: ${slug} was deleted and is back`);
    else if (name !== undefined)
      deny(
        found.get(slug) !== name,
        `kill ${kill - 1}: ${slug} is ${found.get(slug)}, acknowledged was ${name}`,
      );
  }
  const killer = setTimeout(() => child.kill('SIGKILL'), Math.random() * 800);
  const write = async () => {
    for (let n = 0; ; n++) {
      const slug = `k${kill}-${n}`;
      // Until it is acknowledged either state is right.
      expected.set(slug, undefined);
      await ask(url, 'POST', '/apis', { slug, baseUrl: 'https://api.example.com', name: 'one' });
      expected.set(slug, 'one');
      writes++;
      if (n % 3 === 1) {
        expected.set(slug, undefined);
        await ask(url, 'PATCH', `/apis/${slug}`, { name: 'two' });
        expected.set(slug, 'two');
      } else if (n % 3 === 2) {
        expected.set(slug, undefined);
        await ask(url, 'DELETE', `/apis/${slug}`);
        expected.set(slug, null);
      }
    }
  };
  const call = async () => {
    for (;;) {
      await ask(url, 'POST', '/tools/weather_get/call', { arguments: { location: 'Rome' } });
      calls++;
    }
  };
  await Promise.allSettled([write(), call(), call()]);
  clearTimeout(killer);
  child.kill('SIGKILL');
  await exited;
  if (kill % 20 === 0) console.log(`${kill} kills, ${writes} acknowledged registrations, ${calls} calls`);
}
console.log(
  `${kills} kills: the store opened each time, nothing acknowledged is gone (${writes} registrations, ${calls} calls)`,
);
rmSync(join(dataDir, '..'), { recursive: true, force: true, maxRetries: 10 });
