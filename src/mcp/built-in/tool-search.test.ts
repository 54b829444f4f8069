import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { manualTicks } from '../../../test/support/timing/manual-ticks.ts';
import { anonymous, listedTool, serverView } from '../../../test/support/mcp-surface.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import type { MeaningSearch } from './embeddings/meaning-search.ts';
import { indexingNote, searchAnswer } from './search-tools.ts';
import { createToolSearch, type FoundTools } from './tool-search.ts';

const nouns = ['order', 'invoice', 'customer', 'ticket', 'message', 'report', 'payment'];
const tools = (count: number, from = 0): ListedTool[] =>
  Array.from({ length: count }, (_, n) => {
    const noun = nouns[(n + from) % nouns.length]!;
    const description = `Archives one ${noun} of the ${nouns[(n * 3) % nouns.length]!} ledger, page ${n}.`;
    return listedTool(`${noun}_${n + from}`, undefined, { description });
  });
const many = 12_000;
const large = serverView('large', tools(many));

/** The same tool in a later revision. */
function revised(listed: ListedTool, description: string): ListedTool {
  const tool = { ...listed.compiled.tool, description, revision: listed.compiled.tool.revision + 1 };
  return { ...listed, description, compiled: { ...listed.compiled, tool } };
}

/** A search whose ticks are run by hand, and that counts what goes into its index. */
function handRun() {
  const ticks = manualTicks();
  const added: string[] = [];
  const meaning: MeaningSearch = {
    want: (key) => void added.push(key),
    forget: () => {},
    rank: async () => [],
    settled: async () => {},
    stop: async () => {},
  };
  return { ...createToolSearch({ schedule: ticks.schedule, meaning }), ticks, added };
}
type Search = ReturnType<typeof handRun>;

const ask = (search: Search, view: ServerView, query: string, limit = 5) =>
  search.find(view, anonymous, { query, limit });
const names = ({ tools: found }: FoundTools) => found.map(({ listed }) => listed.name);
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function finish<T>(search: Search, pending: Promise<T>): Promise<T> {
  const state = { isPending: true };
  const end = () => {
    state.isPending = false;
  };
  void pending.then(end, end);
  while (state.isPending) {
    search.ticks.run();
    await settle();
  }
  return pending;
}

async function drain(search: Search): Promise<void> {
  while (search.ticks.run()) await settle();
}

describe('the first search of a large server', () => {
  it('reads a bounded number of tools in each tick', async () => {
    const search = handRun();
    const built = search.prepare(large);
    const perTick: number[] = [];
    for (let before = 0; search.ticks.run(); before = search.added.length)
      perTick.push(search.added.length - before);
    await built;
    expect(search.added).toHaveLength(many);
    expect(Math.max(...perTick)).toBeLessThan(250);
  });

  it('is answered by name while the index is built, and says so', async () => {
    const search = handRun();
    const found = await finish(search, ask(search, large, 'invoice 7001'));
    expect(search.added.length).toBeLessThan(many);
    expect(found.isIndexing).toBe(true);
    expect(names(found)[0]).toBe('invoice_7001');
    const { content } = searchAnswer(found, { query: '', limit: 5 });
    expect(content[0]).toMatchObject({ text: expect.stringContaining(indexingNote) });
  });

  it('shows by name only what the caller may call and asked for', async () => {
    const search = handRun();
    const allowed = 'tool_invoice_7001';
    const caller = { ...anonymous, toolIds: new Set([allowed]) };
    const found = await finish(search, search.find(large, caller, { query: 'invoice', limit: 5 }));
    expect(found).toMatchObject({ isIndexing: true, total: 1 });
    const none = search.find(large, caller, { query: 'invoice', limit: 5, kind: 'destructive' });
    expect((await finish(search, none)).total).toBe(0);
  });

  it('ranks in the end as an index that was built at once', async () => {
    const query = 'archive the customer ledger';
    const slow = handRun();
    await finish(slow, ask(slow, large, query));
    await drain(slow);
    const after = await finish(slow, ask(slow, large, query, 50));
    const atOnce = createToolSearch({ schedule: (slice) => queueMicrotask(slice) });
    const expected = await atOnce.find(large, anonymous, { query, limit: 50, wait: true });
    expect(after.isIndexing).toBe(false);
    expect(names(after)).toEqual(names(expected));
    expect(after.total).toBe(expected.total);
  });

  it('waits for the index where it is told to', async () => {
    const search = handRun();
    const found = search.find(large, anonymous, { query: 'ledger', limit: 5, wait: true });
    expect(await finish(search, found)).toMatchObject({ isIndexing: false, total: many });
  });

  it('shares its build with others that come meanwhile', async () => {
    const search = handRun();
    const found = Array.from({ length: 20 }, () => ask(search, large, 'payment'));
    await finish(search, Promise.all(found));
    await drain(search);
    expect(search.added).toHaveLength(many);
  });
});

describe('a build among others', () => {
  it('does not hold up the build of a small server, which is searched by its index', async () => {
    const search = handRun();
    void search.prepare(large);
    const small = serverView('small', tools(20, many));
    const found = await finish(search, ask(search, small, 'ledger'));
    expect(found.isIndexing).toBe(false);
    expect(search.added.length).toBeLessThan(many / 2);
  });

  it('runs at most one query of the index in a tick', async () => {
    const search = handRun();
    const views = Array.from({ length: 30 }, (_, n) => serverView(`s${n}`, tools(3, n * 3)));
    await finish(search, Promise.all(views.map((view) => search.prepare(view))));
    let answered = 0;
    for (const view of views) void ask(search, view, 'ledger').then(() => answered++);
    await settle();
    const perTick: number[] = [];
    for (let before = 0; search.ticks.run(); before = answered) {
      await settle();
      perTick.push(answered - before);
    }
    expect(answered).toBe(30);
    expect(Math.max(...perTick)).toBe(1);
  });

  it('that cannot be finished fails its searches, and the next one tries again', async () => {
    const search = handRun();
    let isBroken = true;
    const listed = tools(1)[0]!;
    const view = serverView('odd', [
      {
        ...listed,
        get compiled() {
          if (isBroken) throw new Error('broken');
          return listed.compiled;
        },
      },
    ]);
    await expect(finish(search, ask(search, view, 'order'))).rejects.toThrow('broken');
    isBroken = false;
    expect((await finish(search, ask(search, view, 'order'))).total).toBe(1);
  });
});

describe('a change of the registry during a build', () => {
  const changedAt = 100;
  const changed = serverView(
    'large',
    large.tools.map((listed, n) => (n === changedAt ? revised(listed, 'Sends a zeppelin.') : listed)),
  );

  it('does not start over: only what changed is read again', async () => {
    const search = handRun();
    void search.prepare(large);
    for (let n = 0; n < 40; n++) search.ticks.run();
    expect(search.added.length).toBeGreaterThan(changedAt);
    void search.prepare(changed);
    await drain(search);
    expect(search.added).toHaveLength(many + 1);
  });

  it.each([
    ['before the old state is read', 0],
    ['while it is', 40],
  ])('is what is found afterwards, %s', async (_, ticksBefore) => {
    const search = handRun();
    const seen = [search.prepare(large)];
    for (let n = 0; n < ticksBefore; n++) search.ticks.run();
    seen.push(search.prepare(changed));
    await finish(search, Promise.all(seen));
    expect(names(await finish(search, ask(search, changed, 'zeppelin')))).toEqual([
      large.tools[changedAt]!.name,
    ]);
  });

  it('is not undone by a build of the old state that is slower', async () => {
    const search = handRun();
    const [first] = changed.tools.slice(changedAt);
    await finish(search, search.prepare(serverView('other', [first!])));
    await finish(search, search.prepare(large));
    expect(names(await finish(search, ask(search, serverView('third', [first!]), 'zeppelin')))).toEqual([
      first!.name,
    ]);
  });
});

describe('tools that are gone', () => {
  it('leave the index once, after the registry has changed', async () => {
    const ticks = manualTicks();
    const here = tools(10);
    let served = new Map(here.map(({ compiled }) => [compiled.tool.id, compiled]));
    let looked = 0;
    const forgotten: string[] = [];
    const composedTools = new Map<string, never>();
    let snapshot = { compiled: served, composedTools };
    const search = createToolSearch({
      schedule: ticks.schedule,
      snapshot: () => {
        looked++;
        return snapshot;
      },
      meaning: {
        want: () => {},
        forget: (key) => void forgotten.push(key),
        rank: async () => [],
        settled: async () => {},
        stop: async () => {},
      },
    });
    const build = async (view: ServerView) => {
      void search.prepare(view);
      while (ticks.run()) await settle();
    };
    await build(serverView('a', here));
    served = new Map([...served].slice(1));
    snapshot = { compiled: served, composedTools };
    await build(serverView('a', here.slice(1)));
    expect(forgotten).toEqual([here[0]!.compiled.tool.id]);
    looked = 0;
    for (let n = 0; n < 20; n++) await build(serverView(`s${n}`, here.slice(1)));
    expect(looked).toBe(20);
  });
});

describe('a view that differs from the last one in a few tools', () => {
  const edit = fc.record({
    kind: fc.constantFrom('edit', 'add', 'remove'),
    at: fc.nat({ max: 60 }),
    noun: fc.constantFrom(...nouns),
  });

  it('is ranked like one that was read from the beginning', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 5 }), async (commits) => {
        const one = createToolSearch();
        const { server } = serverView('one', []);
        const viewOf = (shown: readonly ListedTool[]): ServerView => ({
          server,
          tools: shown,
          byName: new Map(shown.map((listed) => [listed.name, listed])),
        });
        let shown: readonly ListedTool[] = tools(40);
        let view = viewOf(shown);
        await one.find(view, anonymous, { query: 'invoice', limit: 5, wait: true });
        for (const [n, edits] of commits.entries()) {
          for (const { kind, at, noun } of edits) {
            const old = shown[at];
            if (kind === 'add') {
              const description = `Archives a ${noun} and nothing else.`;
              shown = [
                ...shown,
                listedTool(`${noun}_new_${n}_${shown.length}_${at}`, undefined, { description }),
              ];
            } else if (old !== undefined) {
              const changed = kind === 'edit' ? [revised(old, `Reads the ${noun} of page ${n}.`)] : [];
              shown = shown.toSpliced(at, 1, ...changed);
            }
          }
          view = viewOf(shown);
          for (const query of ['invoice', 'read a payment', 'page 3 ledger', 'ticket nothing'])
            expect(names(await one.find(view, anonymous, { query, limit: 10, wait: true }))).toEqual(
              names(await createToolSearch().find(view, anonymous, { query, limit: 10, wait: true })),
            );
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is indexed in as many steps with many tools as with few', async () => {
    const slicesFor = async (count: number): Promise<number> => {
      const search = handRun();
      const shown = tools(count);
      const before = serverView('grown', shown);
      await finish(search, ask(search, before, 'invoice'));
      await drain(search);
      search.added.length = 0;
      const after = { ...before, tools: shown.with(7, revised(shown[7]!, 'Shreds the invoice.')) };
      const found = await finish(
        search,
        search.find(after, anonymous, { query: 'shreds', limit: 1, wait: true }),
      );
      expect(names(found)).toEqual([shown[7]!.name]);
      expect(search.added).toHaveLength(1);
      return search.added.length;
    };
    expect(await slicesFor(5_000)).toBe(await slicesFor(50));
  });
});
