import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRedisConnection, type RedisConnection } from '../../src/budgets/redis/redis-connection.ts';
import { createRedisLedger } from '../../src/budgets/redis/redis-ledger.ts';
import { describeGrants, describeMembers } from '../support/store-contract/budget-ledger.ts';
import { type RedisServer, startRedis } from './redis.ts';

let redis: RedisServer;
const connections: RedisConnection[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterEach(() => connections.splice(0).forEach((each) => each.close()));
afterAll(() => redis.close());

// Longer than a busy machine needs, except where a server must be given up.
function open(address = `redis://127.0.0.1:${redis.port}`, scope = 'test', answersWithinMs = 60_000) {
  const connection = createRedisConnection(address, answersWithinMs);
  connections.push(connection);
  return createRedisLedger(connection, scope);
}

const oneTurn = { key: 'turn', most: 1, windowMs: 0, spent: [], held: 0, want: 1 };

async function openBudgets() {
  await redis.ask('FLUSHALL');
  return { ways: [open(), open(), open()], close: async () => {} };
}
describeGrants('Redis', openBudgets);
describeMembers('Redis', openBudgets);

describe('limits that are kept on Redis', () => {
  it('are granted to each of twenty who all ask about the same one at once', async () => {
    const ledgers = Array.from({ length: 20 }, () => open());
    const granted = await Promise.all(
      ledgers.map(async (ledger, at) => {
        let held = 0;
        for (let round = 0; round < 5; round++)
          held += (await ledger.ask(`member ${at}`, 20, [{ ...oneTurn, key: 'hot', most: 1_000, held }]))[0]!
            .granted;
        return held;
      }),
    );
    expect(granted).toEqual(ledgers.map(() => 5));
  });

  it('are apart for registries that have nothing to do with each other', async () => {
    const [mine, other] = [open(undefined, 'mine'), open(undefined, 'other')];
    expect([await mine.join('a', 9_000), await other.join('b', 9_000)]).toEqual([1, 1]);
    for (const ledger of [mine, other]) expect((await ledger.ask('a', 1, [oneTurn]))[0]!.granted).toBe(1);
  });

  it('leave nothing behind that stays', async () => {
    await redis.ask('FLUSHALL');
    const ledger = open();
    await ledger.join('a', 10_000);
    await ledger.ask('a', 1, [oneTurn, { ...oneTurn, key: 'rate', windowMs: 60_000 }]);
    const keys = (await redis.ask('KEYS', '*')).split('\n');
    expect(keys).toHaveLength(3);
    for (const key of keys) {
      expect(key).toMatch(/^handrail:\{test\}:/);
      expect(Number(await redis.ask('PTTL', key))).toBeGreaterThan(0);
      expect(Number(await redis.ask('PTTL', key))).toBeLessThanOrEqual(65_000);
    }
  });

  it('are refused at once while nothing listens, and had again once it does, by one connection', async () => {
    const ledger = open();
    await ledger.join('a', 10_000);
    await redis.kill();
    for (let i = 0; i < 200; i++)
      await expect(ledger.join('a', 10_000)).rejects.toThrow(/ECONNREFUSED|Socket closed|client is closed/);
    await redis.start();
    await expect.poll(() => ledger.join('a', 10_000).catch(() => 0)).toBe(1);
    const clients = (await redis.ask('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n');
    // This question is one itself.
    expect(clients).toHaveLength(2);
  });

  it('are given up when a server stands still, and had again when it goes on', async () => {
    const ledger = open(undefined, undefined, 2_000);
    await expect.poll(() => ledger.join('a', 10_000).catch(() => 0)).toBe(1);
    redis.signal('SIGSTOP');
    await expect(ledger.join('a', 10_000)).rejects.toThrow('does not answer');
    redis.signal('SIGCONT');
    await expect.poll(() => ledger.join('a', 10_000).catch(() => 0)).toBe(1);
  });

  it('are asked for a few times a second where whoever listens closes every connection', async () => {
    const counts = { accepted: 0, asked: 0 };
    const closing = createServer((socket) => {
      counts.accepted++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const { port } = closing.address() as { port: number };
    const ledger = open(`redis://127.0.0.1:${port}`);
    while (counts.accepted < 3) {
      counts.asked++;
      await expect(ledger.join('a', 10_000)).rejects.toThrow(/Socket closed|ECONNRESET|EPIPE/);
    }
    expect(counts.asked).toBeGreaterThan(100);
    closing.close();
  });

  it('are not taken from a server that speaks something else', async () => {
    const other = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(open(`redis://127.0.0.1:${port}`).join('a', 10_000)).rejects.toThrow('Unknown RESP type');
    other.close();
  });
});
