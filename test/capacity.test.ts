import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '../src/domain/tool.ts';
import { Registry } from '../src/registry/registry.ts';
import { openStore } from '../src/storage/open-store.ts';
import type { Store } from '../src/storage/ports.ts';
import { callRecord } from './support/call-record.ts';
import { writeCalls } from './support/write-calls.ts';

const page = await readFile(new URL('../docs/guide/capacity.md', import.meta.url), 'utf8');

/** What one costs, by the names of the page. */
const costs = new Map(
  [...page.matchAll(/^\| ([^|]+) \| ([\d.]+) \| [^|]+ \|$/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ]),
);

function costOf(name: string): number {
  const cost = costs.get(name);
  if (cost === undefined) throw new Error(`The page has no cost of "${name}".`);
  return cost;
}

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handrail-capacity-'));
  store = await openStore({ dataDir: folder });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Bytes of the data folder once everything is in the file. */
async function bytesOnDisk(): Promise<number> {
  await store.close();
  store = await openStore({ dataDir: folder });
  await store.close();
  const sizes = await Promise.all((await readdir(folder)).map((file) => stat(join(folder, file))));
  store = await openStore({ dataDir: folder });
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

const row = { revision: 1, createdAtMs: 1_000, updatedAtMs: 1_000 };
const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`;

/** A tool with as much in it as those of `npm run bench -- growth`. */
function toolAt(n: number): Tool {
  const field = (name: string) => ({ type: 'string', description: `The ${name} of invoice line ${n}.` });
  return {
    ...row,
    id: idOf('tool', n),
    apiId: idOf('api', 0),
    name: `list_customer_invoices_${n}`,
    title: `list invoices ${n}`,
    description: `Lists invoices of customer ${n}, with the contract they belong to and its state.`,
    tags: ['invoice'],
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    operation: {
      method: 'GET',
      path: `/v1/customers/invoices-${n}`,
      parameters: ['customer_id', 'state', 'limit'].map((name) => ({
        name,
        in: 'query' as const,
        required: false,
        schema: field(name),
      })),
      replySchema: {
        type: 'object',
        properties: { id: field('id'), state: field('state'), created_at: field('time') },
      },
    },
    reply: {},
    limits: {},
    enabled: true,
    source: { operationKey: `GET /v1/customers/invoices-${n}` },
  };
}

/** Bytes of the heap after everything unused was collected. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('V8 offers no collection.');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

async function addTools(from: number, to: number): Promise<void> {
  const { seq } = await store.registry.changesSince(0).then((found) => found ?? { seq: 0 });
  const api = {
    ...row,
    id: idOf('api', 0),
    slug: 'billing',
    name: 'Billing',
    baseUrl: 'https://billing.example.com',
    headers: {},
    auth: { kind: 'none' as const },
    limits: {},
    enabled: true,
  };
  const tools = Array.from({ length: to - from }, (_, n) => toolAt(from + n));
  await store.registry.commit(seq, [
    { op: 'put', kind: 'api', entity: api },
    ...tools.map((entity) => ({ op: 'put' as const, kind: 'tool' as const, entity })),
  ]);
}

describe('the capacity page', () => {
  it('says at least what a tool takes on disk and in memory, and not several times that', async () => {
    await addTools(0, 500);
    const [bytes, heap] = [await bytesOnDisk(), heapBytes()];
    await addTools(500, 2_500);
    const perToolOnDisk = ((await bytesOnDisk()) - bytes) / 2_000;
    const registry = await Registry.load(store.registry);
    const perTool = (heapBytes() - heap) / registry.snapshot.tools.size;
    expect(registry.snapshot.tools.size).toBe(2_500);
    for (const [measured, name] of [
      [perToolOnDisk, 'tool, on disk'],
      [perTool, 'tool, in memory'],
    ] as const) {
      expect(measured, name).toBeLessThan(costOf(name) * 1_000);
      expect(measured, name).toBeGreaterThan((costOf(name) * 1_000) / 4);
    }
  });

  it('says what a record takes on disk', async () => {
    const add = async (from: number, to: number) => {
      for (let at = from; at < to; at += 250)
        await writeCalls(
          store.calls,
          Array.from({ length: 250 }, (_, n) =>
            callRecord(at + n, {
              argumentsText: JSON.stringify({ customer_id: `cust_${(at + n) * 7_919}`, state: 'open' }),
              replyText: JSON.stringify({ id: `inv_${(at + n) * 104_729}`, state: 'open', total: at + n }),
            }),
          ),
        );
    };
    await add(0, 5_000);
    const before = await bytesOnDisk();
    await add(5_000, 25_000);
    const measured = ((await bytesOnDisk()) - before) / 20_000;
    const said = costOf('record with short contents, on disk');
    expect(measured).toBeLessThan(said);
    expect(measured).toBeGreaterThan(said / 6);
  });

  it('computes its examples with its formulas', () => {
    const number = (cell: string) => Number(cell.replaceAll(/[^\d.]/g, ''));
    const rows = [...page.matchAll(/^\| [\d,]+ \|.*$/gm)].map(([line]) =>
      line.split('|').slice(1, -1).map(number),
    );
    expect(rows.length).toBeGreaterThan(3);
    const rounded = (value: number) => Number(value.toPrecision(2));
    for (const [tools = 0, servers = 0, perSecond = 0, ...found] of rows) {
      const records = perSecond * 86_400;
      const kilobytes =
        tools * (costOf('tool, in memory') + costOf('tool, in memory once searched')) +
        servers * costOf('server, in memory');
      // Fewer tools are indexed without a thread.
      const index = tools >= 500 ? costOf('index while it is built') : 0;
      const cores = (perSecond * costOf('call')) / 1e6 / 0.6;
      const disk =
        tools * costOf('tool, on disk') * 1e3 + records * 30 * costOf('record with short contents, on disk');
      expect(found).toEqual([
        records,
        rounded(costOf('start') + (tools * costOf('start, each tool')) / 1e6),
        rounded(costOf('gateway, idle') + kilobytes / 1_000 + index),
        Number(cores.toFixed(2)),
        Math.ceil(cores),
        rounded(disk / 1e9),
      ]);
    }
  });
});
