import { setTimeout as delay } from 'node:timers/promises';
import {
  type BudgetAnswer,
  type BudgetAsk,
  type BudgetState,
  grantLastsMs,
  readBudget,
  settle,
} from '../ledger.ts';
import type { BudgetLedger } from '../store-coordinator.ts';
import type { RedisConnection, SendCommand } from './redis-connection.ts';

// Writes the settled state if the limit hasn't changed since it was read. A process that was too slow for that is next to
// write, for a moment, so that a busy one gets its turn among many fast ones. 1: written; 2: you are next; 0: another is.
const writeInTurn = `local next = redis.call('GET', KEYS[2])
if next and next ~= ARGV[4] then return 0 end
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
  return 2
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if next then redis.call('DEL', KEYS[2]) end
return 1`;

// Members in the order in which they would be forgotten; gone with the last of them.
const countMember = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
return redis.call('ZCARD', KEYS[1])`;

const isNextForMs = 100;
const maxRounds = 40;
const maxPauseMs = 32;

/**
 * Keeps the ledger of limits on a Redis-protocol server, a key for each, by the server's clock. `scope` names the registry
 * whose limits they are: gateways that have nothing to do with each other may use one server. Every key expires.
 */
export function createRedisLedger(connection: RedisConnection, scope: string): BudgetLedger {
  // The braces keep all keys of one scope on one node where there are several.
  const prefix = `handrail:{${scope}}:`;
  const membersKey = `${prefix}members`;

  return {
    join: (member, forMs) =>
      connection.use(async (send) =>
        Number(await send(['EVAL', countMember, '1', membersKey, member, String(forMs)])),
      ),
    leave: (member) => connection.use(async (send) => void (await send(['ZREM', membersKey, member]))),
    ask: (member, members, asks) =>
      asks.length === 0
        ? Promise.resolve([])
        : connection.use((send) =>
            settleAll(send, asks, (ask) => `${prefix}budget ${ask.key}`, { member, members }),
          ),
  };
}

/** Reads, settles and writes each limit; again, from what others made of it meanwhile, where they were faster. */
async function settleAll(
  send: SendCommand,
  asks: readonly BudgetAsk[],
  keyOf: (ask: BudgetAsk) => string,
  who: { readonly member: string; readonly members: number },
): Promise<BudgetAnswer[]> {
  const answers = new Map<BudgetAsk, BudgetAnswer>();
  let open = asks;
  let isNext = false;
  for (let round = 0; open.length > 0; round++) {
    if (round === maxRounds) throw new Error('others change the same limits too often');
    // Processes that wait for another one's turn to end don't all retry at the same time.
    if (round > 0 && !isNext) await delay(Math.random() * Math.min(maxPauseMs, 2 ** round));
    const [time, texts] = await Promise.all([send(['TIME']), send(['MGET', ...open.map(keyOf)])]);
    const nowMs = readTime(time);
    const settled = open.map((ask, at) => {
      const text = readText(texts, at);
      return { ask, text, ...settle(readBudget(text), ask, who.member, who.members, nowMs) };
    });
    const written = await Promise.all(
      settled.map(({ ask, text, state }) =>
        send(['EVAL', writeInTurn, '2', ...writing(keyOf(ask), text, state, ask.windowMs, who.member)]),
      ),
    );
    for (const [at, { ask, answer }] of settled.entries()) if (written[at] === 1) answers.set(ask, answer);
    isNext = written.includes(2);
    open = asks.filter((ask) => !answers.has(ask));
  }
  return asks.map((ask) => answers.get(ask)!);
}

/** Keys and arguments of the script. */
function writing(
  key: string,
  was: string,
  state: BudgetState,
  windowMs: number,
  member: string,
): readonly string[] {
  const forMs = String(windowMs + grantLastsMs);
  return [key, `${key} next`, was, JSON.stringify(state), forMs, member, String(isNextForMs)];
}

/** Epoch milliseconds from the reply to TIME: seconds, and microseconds of the next one. */
function readTime(reply: unknown): number {
  if (!Array.isArray(reply)) throw new TypeError('the server does not return its time');
  return Number(reply[0]) * 1_000 + Math.floor(Number(reply[1]) / 1_000);
}

function readText(replies: unknown, at: number): string {
  const text: unknown = Array.isArray(replies) ? replies[at] : null;
  return typeof text === 'string' ? text : '';
}
