import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../../../test/support/opened-registry.ts';
import {
  type EmbeddingsEndpoint,
  startEmbeddings,
} from '../../../../test/support/servers/embeddings-endpoint.ts';
import { createEgressGuard } from '../../../upstream/connections/egress.ts';
import { createFetchGuarded } from '../../../upstream/fetch-guarded.ts';
import { createEmbed } from './embeddings-endpoint.ts';
import { createMeaningSearch, type MeaningOutcome } from './meaning-search.ts';

const texts: Readonly<Record<string, string>> = {
  cancel: 'deleteOrder: withdraws a purchase',
  list: 'listUsers: the people of a company',
  pay: 'createPayment: sends money',
};
const meanings = [
  ['withdraws', 'cancel', 'undo'],
  ['people', 'staff'],
  ['money', 'pay'],
];

let endpoint: EmbeddingsEndpoint;
let opened: OpenedRegistry;
let stops: (() => Promise<void>)[];
beforeEach(async () => {
  stops = [];
  endpoint = await startEmbeddings(meanings);
  opened = await openTestRegistry();
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  await endpoint.close();
  await opened.close();
});

function openSearch(options: { allow?: string[]; queryTimeoutMs?: number; model?: string } = {}) {
  let nowMs = 1_000_000;
  const outcomes: MeaningOutcome[] = [];
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const guard = createEgressGuard({ allow: options.allow ?? [endpoint.host] });
  const { fetch, close } = createFetchGuarded({ guard, now: Date.now });
  const { model = 'm' } = options;
  const search = createMeaningSearch({
    embed: createEmbed(fetch, { url: endpoint.url, model, key: 'k' }),
    model,
    queryTimeoutMs: options.queryTimeoutMs ?? 20_000,
    meta: opened.store.meta,
    log,
    now: () => nowMs,
    onQuery: (outcome) => outcomes.push(outcome),
  });
  stops.push(close, () => search.stop());
  const wantAll = async () => {
    for (const [key, text] of Object.entries(texts)) search.want(key, text);
    await search.settled();
  };
  const pass = (ms: number) => (nowMs += ms);
  return {
    search,
    outcomes,
    lines,
    wantAll,
    pass,
    rank: (query: string) => search.rank(query, Object.keys(texts)),
  };
}

describe('search by meaning', () => {
  it('puts what means the same first, and asks with the key it was given', async () => {
    const { wantAll, rank, outcomes } = openSearch();
    await wantAll();
    expect((await rank('undo something'))[0]).toBe('cancel');
    expect((await rank('who is on the staff'))[0]).toBe('list');
    expect(outcomes).toEqual(['answered', 'answered']);
    expect(new Set(endpoint.authorizations)).toEqual(new Set(['Bearer k']));
  });

  it('asks once for texts that say the same, for a query that comes again, and in the next process', async () => {
    const { search, wantAll, rank } = openSearch();
    await wantAll();
    search.want('other', texts['pay']!);
    await search.settled();
    await rank('undo');
    await rank('undo');
    expect(endpoint.asked.map(({ length }) => length)).toEqual([3, 1]);
    const next = openSearch();
    await next.wantAll();
    expect((await next.rank('money'))[0]).toBe('pay');
    expect(endpoint.asked.slice(2)).toEqual([['money']]);
    const otherModel = openSearch({ model: 'n' });
    await otherModel.wantAll();
    expect(endpoint.asked.at(-1)).toHaveLength(3);
  });

  it('ranks only what it is given', async () => {
    const { search, wantAll } = openSearch();
    await wantAll();
    expect(await search.rank('undo', ['pay', 'list', 'unknown'])).toHaveLength(2);
  });

  it.each([
    ['refuses', 'refuses' as const],
    ['answers with too little', { body: { data: [] } }],
    ['answers with what is no vector', { body: { data: [{ index: 0, embedding: ['a'] }] } }],
    ['answers with an index that is not there', { body: { data: [{ index: 7, embedding: [1] }] } }],
    ['answers with no JSON form it knows', { body: 'text' }],
  ])('leaves it to the words while the endpoint %s, says so once, and asks again later', async (_, how) => {
    const { wantAll, rank, outcomes, lines, pass } = openSearch();
    await wantAll();
    endpoint.behave(how);
    expect(await rank('undo')).toEqual([]);
    const before = endpoint.asked.length;
    expect(await rank('staff')).toEqual([]);
    expect(endpoint.asked).toHaveLength(before);
    endpoint.behave('answers');
    pass(31_000);
    expect((await rank('undo'))[0]).toBe('cancel');
    expect(outcomes).toEqual(['away', 'away', 'answered']);
    expect(lines.map((line) => /unavailable|back/.exec(line)?.[0])).toEqual(['unavailable', 'back']);
  });

  it('waits no longer than its deadline', async () => {
    const { wantAll, rank, outcomes } = openSearch({ queryTimeoutMs: 50 });
    await wantAll();
    endpoint.behave('never answers');
    expect(await rank('undo')).toEqual([]);
    expect(outcomes).toEqual(['away']);
  });

  it('reaches nothing that the egress guard forbids', async () => {
    const { wantAll, rank } = openSearch({ allow: [] });
    await wantAll();
    expect(await rank('undo')).toEqual([]);
    expect(endpoint.asked).toEqual([]);
  });

  it('sends fewer texts at once where the endpoint takes no more', async () => {
    const { search, wantAll, rank, pass } = openSearch();
    endpoint.behave({ maxTexts: 1 });
    await wantAll();
    for (let tries = 0; tries < 6; tries++) {
      pass(31_000);
      await rank('undo');
      await search.settled();
    }
    pass(31_000);
    expect((await rank('undo'))[0]).toBe('cancel');
  });
});
