import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCanary, type Waits } from './canary.ts';
import { hostileAdmin } from './catalogue/admin.ts';
import { hostileArguments } from './catalogue/arguments.ts';
import { asRead, disclosures, personal } from './catalogue/disclosures.ts';
import { hostileDocuments } from './catalogue/documents.ts';
import { operatorValues } from './catalogue/operator-values.ts';
import { protocol } from './catalogue/protocol.ts';
import { replies } from './catalogue/replies.ts';
import { hostileSelects } from './catalogue/selects.ts';
import { hostileTokens } from './catalogue/tokens.ts';
import { transport } from './catalogue/transport.ts';
import type { Row } from './row.ts';
import { type Answer, sendRow } from './send-row.ts';
import { mostHeldMb, mostTurnMs } from './bounds.ts';
import { canarySecret, type HeldMemory, startUnderAttack, type UnderAttack } from './under-attack.ts';

const groups: Readonly<Record<string, readonly Row[]>> = {
  transport,
  protocol,
  arguments: hostileArguments,
  selects: hostileSelects,
  'operator values': operatorValues,
  replies,
  disclosures,
  documents: hostileDocuments,
  tokens: hostileTokens,
  admin: hostileAdmin,
};

let at: UnderAttack;
let stopCanary: () => Promise<Waits>;
let idle: Waits;
let before: HeldMemory;
const turns: { readonly what: string; readonly ms: number }[] = [];

beforeAll(async () => {
  at = await startUnderAttack();
  const stop = startCanary(at);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  idle = await stop();
  before = await at.memory();
  await at.busiestTurnMs();
  stopCanary = startCanary(at);
});
afterAll(async () => {
  await at.stop();
});

test('has at least four hundred rows, each with a name of its own', () => {
  const names = Object.values(groups)
    .flat()
    .map(({ what, way }) => `${way.by}: ${what}`);
  expect(names.length).toBeGreaterThanOrEqual(400);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

describe.each(Object.entries(groups))('%s', (_group, rows) => {
  test.each(rows.map((row) => [row.what, row] as const))('%s', async (_what, row) => {
    at.echo.seen.length = 0;
    const answer = await sendRow(at, row.way);
    expect(at.isAlive(), `the process ended; it said: ${at.log().slice(-2_000)}`).toBe(true);
    expectNothingLeaks(answer);
    if (disclosures.includes(row)) expectNothingDisclosed(answer);
    expectAnswer(row, answer);
    let ms = await at.busiestTurnMs();
    if (ms > mostTurnMs) {
      // The collector may have had its day just then; what the input costs, it costs again.
      await sendRow(at, row.way);
      ms = Math.min(ms, await at.busiestTurnMs());
    }
    turns.push({ what: row.what, ms });
    expect(ms, 'processor time of the busiest turn').toBeLessThanOrEqual(mostTurnMs);
  });
});

const ownProgram = `"program":${JSON.stringify([process.execPath, fileURLToPath(new URL('../../dist/main.js', import.meta.url))])}`;

function expectNothingLeaks({ status, text }: Answer): void {
  // A status of our own making that we have no reason for would be a fault of ours.
  expect([500, 505, 507, 508, 510, 511]).not.toContain(status);
  expect(text).not.toContain(canarySecret);
  expect(text).not.toMatch(/\n\s+at .+\(?(?:file:|node:|\/)/);
  // Whoever manages the gateway is shown what starts it, for clients on this machine; no one is shown any other path.
  expect(text.replace(ownProgram, '')).not.toMatch(/\/(?:src|dist|node_modules)\/[\w/.-]+\.(?:ts|js)/);
  expect(text).not.toContain('root:x:0:0');
}

function expectNothingDisclosed({ text }: Answer): void {
  const read = asRead(text.slice(0, 200_000));
  expect(read).not.toContain(canarySecret);
  for (const one of personal) {
    expect(read.replace(/[ ()–-]/g, '').toLowerCase()).not.toContain(one.replace(/[ -]/g, '').toLowerCase());
  }
}

function expectAnswer({ expected }: Row, answer: Answer): void {
  if (typeof expected === 'object') {
    expect(expected.status, answer.text.slice(0, 300)).toContain(answer.status);
    return;
  }
  const { error, result } = JSON.parse(answer.text) as {
    error?: { message: string };
    result?: { isError?: boolean; content: { text?: string }[] };
  };
  const failed = error !== undefined || result?.isError === true;
  if (failed) expect(error?.message ?? result?.content[0]?.text ?? '').not.toBe('');
  if (expected === 'failed' || expected === 'refused') expect(failed, answer.text.slice(0, 300)).toBe(true);
  const mine = at.echo.seen.filter(({ target }) => !target.includes('/canary'));
  if (expected === 'refused') expect(mine).toEqual([]);
  if (expected === 'in place')
    for (const { target } of mine)
      expect(target).toMatch(/^\/base\/v1\/items\/[^/?#]+\/detail(?:\?query=[^&#]*)?$/);
}

test('asks the API’s own host when a probe’s path looks like another', async () => {
  at.echo.seen.length = 0;
  const paths = ['//evil.example', '///evil.example/a'];
  for (const [i, path] of paths.entries()) {
    const { status } = await at.admin('POST', '/apis', {
      slug: `probed-${i}`,
      baseUrl: `${at.echo.origin}/probed`,
      probe: { path, everyMs: 1_000 },
    });
    expect(status).toBe(201);
  }
  const below = ['', '/a'].map((end) => `/probed/evil.example${end}`);
  await expect
    .poll(() => at.echo.seen.map(({ target }) => target), { timeout: 60_000 })
    .toEqual(expect.arrayContaining(below));
});

test('left the gateway answering, with what it had before', async () => {
  const waits = await stopCanary();
  console.log(`canary, idle: ${JSON.stringify(idle)}\ncanary, under attack: ${JSON.stringify(waits)}`);
  expect(waits.failed).toBe(0);
  expect(waits.calls).toBeGreaterThan(100);
  const busiest = turns.toSorted((a, b) => b.ms - a.ms).slice(0, 5);
  console.log(`busiest turns: ${busiest.map(({ what, ms }) => `${Math.round(ms)} ms ${what}`).join('; ')}`);
  await expect
    .poll(async () => (await at.memory()).heldMb - before.heldMb, { timeout: 120_000, interval: 2_000 })
    .toBeLessThan(mostHeldMb);
  const after = await at.memory();
  console.log(`memory before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`);
  // What the allocator keeps for next time has a bound, too.
  expect(after.residentMb - before.residentMb).toBeLessThan(400);
  expect(at.log()).not.toMatch(/unhandled|uncaught/i);
});
