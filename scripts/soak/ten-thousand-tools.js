// Registers ten thousand tools, one request each, and reports start-up time, the list's time and size, and memory.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, serve } from './support/serving.js';

const count = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), 'handrail-tools-'));
const rssMb = (child) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024);

async function stop({ child, exited }) {
  child.kill('SIGTERM');
  await exited;
}

async function list(url) {
  const started = performance.now();
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const text = await answer.text();
  return {
    ms: Math.round(performance.now() - started),
    bytes: text.length,
    tools: JSON.parse(text).result.tools.length,
  };
}

const empty = await serve(join(folder, 'empty'));
await stop(empty);
const emptyAgain = await serve(join(folder, 'empty'));
const emptyMb = rssMb(emptyAgain.child);
await stop(emptyAgain);

const full = await serve(join(folder, 'full'));
for (let api = 0; api < 10; api++)
  await ask(full.url, 'POST', '/apis', { slug: `api-${api}`, baseUrl: 'https://api.example.com' });
const started = performance.now();
for (let n = 0; n < count; n++) {
  const { status } = await ask(full.url, 'POST', '/tools', {
    api: `api-${n % 10}`,
    name: `operation_${n}`,
    description: `Does the thing number ${n} and says how it went`,
    operation: {
      method: 'GET',
      path: `/things/{id}/part-${n}`,
      parameters: [
        { name: 'id', in: 'path', schema: { type: 'string' }, required: true, description: 'Which thing' },
        {
          name: 'limit',
          in: 'query',
          schema: { type: 'integer', minimum: 1, maximum: 100 },
          description: 'How many',
        },
        { name: 'state', in: 'query', schema: { type: 'string', enum: ['open', 'closed', 'all'] } },
      ],
    },
  });
  if (status !== 201) throw new Error(`tool ${n} was answered with ${status}`);
}
const registeredMs = Math.round(performance.now() - started);
const afterWrites = rssMb(full.child);
await stop(full);

const again = await serve(join(folder, 'full'));
const idleMb = rssMb(again.child);
const first = await list(again.url);
const second = await list(again.url);
const listedMb = rssMb(again.child);
await stop(again);
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

console.log(
  JSON.stringify(
    {
      tools: count,
      registeredMs,
      startEmptyMs: emptyAgain.startMs,
      startFullMs: again.startMs,
      addedMs: again.startMs - emptyAgain.startMs,
      firstList: first,
      secondList: second,
      memoryMb: { empty: emptyMb, afterWrites, idle: idleMb, afterList: listedMb },
    },
    null,
    2,
  ),
);
