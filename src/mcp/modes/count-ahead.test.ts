import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cachesAreOn } from '../../../test/support/caches-are-on.ts';
import { type OpenedRegistry, openRules, openTestRegistry } from '../../../test/support/opened-registry.ts';
import { createListCosts, type ListCosts } from '../../listing/list-costs.ts';
import { countTokens } from '../../listing/tokens/count-tokens.ts';
import { createApi, updateApi } from '../../registry/rules/apis.ts';
import { findTool } from '../../registry/rules/find-and-revise.ts';
import type { Registry } from '../../registry/registry.ts';
import { createServer, updateServer } from '../../registry/rules/servers.ts';
import { createTool, updateTool } from '../../registry/rules/tools.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import { searchCostTexts } from '../built-in/definitions.ts';
import { operatorListing } from './serving-modes.ts';
import { asShown, createCountAhead, keptCounts, listableOf } from './count-ahead.ts';

const moment = { nowMs: 2_000 };
let opened: OpenedRegistry;

beforeEach(async () => {
  opened = await openTestRegistry();
  await opened.decide((snapshot) =>
    createApi(snapshot, { slug: 'shop', baseUrl: 'https://shop.example.com' }, moment),
  );
  for (const name of ['list', 'get']) await addTool(name);
});
afterEach(() => opened.close());

function addTool(name: string) {
  const operation = { method: 'GET', path: `/${name}`, parameters: [] };
  return opened.decide((snapshot) =>
    createTool(snapshot, { api: 'shop', name, description: `Does ${name}.`, operation }, moment),
  );
}

/** What a process that opens this store counts, and how to count ahead in it. */
function openProcess(version = '1.0.0', registry: Pick<Registry, 'snapshot' | 'onChange'> = opened.registry) {
  const counted: string[] = [];
  const costs = createListCosts(
    {
      count: async (texts) => {
        counted.push(...texts.map(() => 'text'));
        return texts.map(countTokens);
      },
      countEntries: async (entries) => {
        counted.push(...entries.map((entry) => JSON.parse(entry).name));
        return entries.map(countTokens);
      },
    },
    keptCounts(opened.store.meta, version),
  );
  const { store } = opened;
  const log = pino({ level: 'silent' });
  let tools = 0;
  const watched: ListCosts = {
    ...costs,
    count(listed, ...rest) {
      tools += listed.length;
      return costs.count(listed, ...rest);
    },
  };
  const ahead = createCountAhead({ registry, costs: watched, meta: store.meta, version, log });
  /** How many tools were looked at since it was last asked. */
  const looked = () => {
    const before = tools;
    tools = 0;
    return before;
  };
  return { counted, costs, ahead, looked };
}

describe('counting ahead', () => {
  it('looks at one server in each tick', async () => {
    for (let n = 0; n < 20; n++)
      await opened.decide((snapshot) =>
        createServer(snapshot, { slug: `s${n}`, tools: [{ all: true }] }, openRules, moment),
      );
    let looked = 0;
    const perTick: number[] = [];
    const { snapshot } = opened.registry;
    const watched: Snapshot = {
      ...snapshot,
      view(slug) {
        looked++;
        return snapshot.view(slug);
      },
    };
    const { ahead } = openProcess('1.0.0', { snapshot: watched, onChange: () => () => {} });
    const state = { isCounting: true };
    const counted = ahead.settle().finally(() => {
      state.isCounting = false;
    });
    while (state.isCounting) {
      perTick.push(looked);
      looked = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await counted;
    perTick.push(looked);
    expect(perTick.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(21);
    expect(Math.max(...perTick)).toBe(1);
  });

  it('counts each tool once, then only what changed', async () => {
    const { counted, ahead } = openProcess();
    await ahead.settle();
    expect(counted).toEqual(['list', 'get', 'text', 'text']);
    await addTool('make');
    await ahead.settle();
    await opened.decide((snapshot) =>
      updateTool(snapshot, 'shop/list', { description: 'Lists it all.' }, undefined, moment),
    );
    await ahead.settle();
    // The list of a searched server is always the same, what it is told about itself is not.
    expect(counted.slice(4)).toEqual(['make', 'text', 'list']);
  });

  it('looks only at what a change touched', async () => {
    for (let n = 0; n < 30; n++) await addTool(`more_${n}`);
    const { ahead, looked } = openProcess();
    await ahead.settle();
    expect(looked()).toBe(32);
    const { id } = findTool(opened.registry.snapshot, 'shop/more_7');
    await opened.decide((snapshot) =>
      updateTool(snapshot, id, { description: 'Changed.' }, undefined, moment),
    );
    await ahead.settle();
    expect(looked()).toBe(1);
    await opened.decide((snapshot) =>
      createServer(snapshot, { slug: 'desk', tools: [{ all: true }] }, openRules, moment),
    );
    await ahead.settle();
    expect(looked()).toBe(0);
  });

  it.runIf(cachesAreOn)('leaves nothing to count for whoever asks', async () => {
    const { counted, costs, ahead } = openProcess();
    await ahead.settle();
    const before = counted.length;
    const { snapshot } = opened.registry;
    await costs.count([...snapshot.tools.values()].map(listableOf), false);
    await costs.count([...operatorListing(snapshot.view('default')!)], false);
    await costs.countTexts(searchCostTexts(snapshot.view('default')!));
    expect(counted).toHaveLength(before);
  });

  it('counts tools as a server calls and describes them, with output schemas where it shows them', async () => {
    const { id } = [...opened.registry.snapshot.tools.values()][0]!;
    await opened.decide((snapshot) =>
      updateServer(
        snapshot,
        'default',
        { overrides: { [id]: { name: 'list_all' } }, listOutputSchemas: true },
        undefined,
        openRules,
        moment,
      ),
    );
    const { counted, ahead } = openProcess();
    await ahead.settle();
    expect(counted.slice(0, 4)).toEqual(['list', 'get', 'list_all', 'get']);
  });

  it.runIf(cachesAreOn)(
    'is not done again by the next process, unless that is of another version',
    async () => {
      const first = openProcess();
      await first.ahead.settle();
      const next = openProcess();
      await next.ahead.settle();
      expect(next.counted).toEqual([]);
      const tool = listableOf([...opened.registry.snapshot.tools.values()][0]!);
      expect(next.costs.known(tool, false)).toBe(first.costs.known(tool, false));
      const other = openProcess('1.0.1');
      await other.ahead.settle();
      expect(other.counted.slice(0, 2)).toEqual(['list', 'get']);
    },
  );

  it.runIf(cachesAreOn)('counts a tool again whose API begins to fill one of its inputs', async () => {
    const parameters = ['tenant', 'id'].map((name) => ({
      name,
      in: 'query' as const,
      schema: {},
      required: true,
    }));
    await opened.decide((snapshot) =>
      updateTool(
        snapshot,
        'shop/list',
        { operation: { method: 'GET', path: '/list', parameters } },
        undefined,
        moment,
      ),
    );
    const { costs, ahead } = openProcess();
    const listed = () =>
      listableOf(asShown(opened.registry.snapshot, findTool(opened.registry.snapshot, 'shop/list')));
    await ahead.settle();
    const whole = costs.known(listed(), false)!;
    const auth = { kind: 'api-key' as const, in: 'query' as const, name: 'tenant' };
    await opened.decide((snapshot) => updateApi(snapshot, 'shop', { auth }, undefined, moment));
    await ahead.settle();
    expect(costs.known(listed(), false)).toBeLessThan(whole);
    const next = openProcess();
    await next.ahead.settle();
    expect([next.counted, next.costs.known(listed(), false)]).toEqual([[], costs.known(listed(), false)]);
  });

  it('leaves a few tools to whoever asks, so that an idle process has no tokenizer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { looked, ahead } = openProcess();
      ahead.start();
      vi.advanceTimersByTime(60_000);
      await ahead.stop();
      expect(looked()).toBe(0);
      for (let n = 0; n < 50; n++) await addTool(`more_${n}`);
      const many = openProcess();
      many.ahead.start();
      vi.advanceTimersByTime(60_000);
      await many.ahead.settle();
      expect(many.looked()).toBe(52);
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes what it cannot read of what was kept for nothing', async () => {
    await opened.store.meta.set('list_costs', '1.0.0\nnonsense\n=\nx=y');
    const { counted, ahead } = openProcess();
    await ahead.settle();
    expect(counted.slice(0, 2)).toEqual(['list', 'get']);
  });

  it('keeps no estimate that stood in for a count', async () => {
    const broken = createListCosts({
      count: () => Promise.reject(new Error('away')),
      countEntries: () => Promise.reject(new Error('away')),
    });
    const [tool] = [...opened.registry.snapshot.tools.values()].map(listableOf);
    expect(await broken.count([tool!], false)).toEqual([expect.any(Number)]);
    expect(broken.known(tool!, false)).toBeUndefined();
    expect(await broken.countTexts(['12345678'])).toEqual([2]);
    expect(broken.knownText('12345678')).toBeUndefined();
  });
});
