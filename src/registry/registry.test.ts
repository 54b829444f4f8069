import { cachesAreOn } from '../../test/support/caches-are-on.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handrailItself } from '../domain/audit.ts';
import { openStore } from '../storage/open-store.ts';
import type { Store } from '../storage/ports.ts';
import { createApi, deleteApi, updateApi } from './rules/apis.ts';
import { membersOf, nameIn } from './build-snapshot.ts';
import { Registry } from './registry.ts';
import { createServer, ensureDefaultServer } from './rules/servers.ts';
import type { Snapshot } from './snapshot.ts';
import { createTool, deleteTool, updateTool } from './rules/tools.ts';
import fc from '../../test/support/property.ts';

const moment = { nowMs: 1_000 };
const rules = { defaultPolicy: { kind: 'open' }, openAllowed: true } as const;

describe('a registry', () => {
  let folder: string;
  const stores: Store[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'handrail-registry-'));
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  async function open(dataDir = join(folder, 'data')): Promise<Registry> {
    const store = await openStore({ dataDir });
    stores.push(store);
    const registry = await Registry.load(store.registry);
    await registry.commit(handrailItself, (snapshot) => ensureDefaultServer(snapshot, rules, moment));
    return registry;
  }

  const addApi = (registry: Registry, slug: string) =>
    registry.commit(handrailItself, (snapshot) =>
      createApi(snapshot, { slug, baseUrl: 'https://api.example.com' }, moment),
    );
  const addTool = (registry: Registry, api: string, name: string) =>
    registry.commit(handrailItself, (snapshot) =>
      createTool(
        snapshot,
        { api, name, description: '', operation: { method: 'GET', path: '/', parameters: [] } },
        moment,
      ),
    );

  function namesIn(snapshot: Snapshot, slug: string): string[] {
    const server = snapshot.serverBySlug.get(slug)!;
    return membersOf(snapshot, server).map((tool) => nameIn(snapshot, server, tool));
  }

  it('gets a change through however often another process is first', async () => {
    const registry = await open();
    const other = await open();
    let attempts = 0;
    await registry.commit(handrailItself, async (snapshot) => {
      if (attempts++ < 40) await addApi(other, `other-${attempts}`);
      return createApi(snapshot, { slug: 'mine', baseUrl: 'https://api.example.com' }, moment);
    });
    expect(attempts).toBe(41);
    expect(registry.snapshot.apis.size).toBe(41);
  });

  it.runIf(cachesAreOn)(
    'compiles only what a change touches, and keeps the views of other servers',
    async () => {
      const registry = await open();
      await addApi(registry, 'a');
      await addApi(registry, 'b');
      const [one, two] = [await addTool(registry, 'a', 'one'), await addTool(registry, 'b', 'two')];
      await registry.commit(handrailItself, (snapshot) =>
        createServer(snapshot, { slug: 'only-b', tools: [{ apiId: two.apiId }] }, rules, moment),
      );
      const before = registry.snapshot;
      const viewB = before.view('only-b');
      const viewAll = before.view('default');

      await registry.commit(handrailItself, (snapshot) =>
        updateTool(snapshot, one.id, { description: 'new' }, undefined, moment),
      );

      expect(registry.snapshot.compiled.get(two.id)).toBe(before.compiled.get(two.id));
      expect(registry.snapshot.compiled.get(one.id)).not.toBe(before.compiled.get(one.id));
      expect(registry.snapshot.view('only-b')).toBe(viewB);
      expect(registry.snapshot.view('default')).not.toBe(viewAll);
      expect(before.tools.get(one.id)!.description).toBe('');
    },
  );

  it('recompiles every tool of an API whose address changes', async () => {
    const registry = await open();
    await addApi(registry, 'a');
    const tool = await addTool(registry, 'a', 'one');
    await registry.commit(handrailItself, (snapshot) =>
      updateApi(snapshot, 'a', { baseUrl: 'https://other.example.com/v2' }, undefined, moment),
    );
    expect(registry.snapshot.compiled.get(tool.id)!.request.origin).toBe('https://other.example.com');
  });

  it('lets two processes write at once and loses nothing', async () => {
    const [left, right] = [await open(), await open()];
    await Promise.all([
      ...Array.from({ length: 15 }, (_, n) => addApi(left, `left-${n}`)),
      ...Array.from({ length: 15 }, (_, n) => addApi(right, `right-${n}`)),
    ]);
    await left.sync();
    await right.sync();
    expect(left.snapshot.apis.size).toBe(30);
    expect([...right.snapshot.apiBySlug.keys()].sort()).toEqual([...left.snapshot.apiBySlug.keys()].sort());
  });

  it('gives the same names after a restart', async () => {
    const registry = await open();
    for (const api of ['a', 'b', 'c']) {
      await addApi(registry, api);
      await addTool(registry, api, 'same');
    }
    await registry.commit(handrailItself, (snapshot) => deleteTool(snapshot, 'a/same', moment));
    expect(namesIn(registry.snapshot, 'default')).toEqual(['b_same', 'c_same']);
    expect(namesIn((await open()).snapshot, 'default')).toEqual(['b_same', 'c_same']);
  });

  it('drops a given name when its tool is renamed to one that is free', async () => {
    const registry = await open();
    await addApi(registry, 'a');
    await addApi(registry, 'b');
    await addTool(registry, 'a', 'same');
    const second = await addTool(registry, 'b', 'same');
    await registry.commit(handrailItself, (snapshot) =>
      updateTool(snapshot, second.id, { name: 'other' }, undefined, moment),
    );
    expect(namesIn(registry.snapshot, 'default')).toEqual(['same', 'other']);
  });

  it('refuses an override that takes another tool’s name', async () => {
    const registry = await open();
    await addApi(registry, 'a');
    await addTool(registry, 'a', 'one');
    const two = await addTool(registry, 'a', 'two');
    const make = registry.commit(handrailItself, (snapshot) =>
      createServer(
        snapshot,
        { slug: 's', tools: [{ all: true }], overrides: { [two.id]: { name: 'one' } } },
        rules,
        moment,
      ),
    );
    await expect(make).rejects.toThrow('already has a tool named "one"');
  });

  it('never lets two tools of a server share a name, and never changes one, whatever happens', async () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'add', 'add', 'remove', 'rename', 'drop-api'),
      api: fc.constantFrom('a', 'b', 'c'),
      name: fc.constantFrom('x', 'y', 'a_x', 'b_x'),
      other: fc.constantFrom('x', 'y', 'z'),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const registry = await open(join(folder, `run-${run++}`));
        for (const slug of ['a', 'b', 'c']) await addApi(registry, slug);
        for (const { kind, api, name, other } of steps) {
          const before = registry.snapshot;
          const server = before.serverBySlug.get('default')!;
          const held = new Map(
            membersOf(before, server).map((tool) => [tool.id, [tool.name, nameIn(before, server, tool)]]),
          );
          const work =
            kind === 'add'
              ? addTool(registry, api, name)
              : kind === 'remove'
                ? registry.commit(handrailItself, (snapshot) =>
                    deleteTool(snapshot, `${api}/${name}`, moment),
                  )
                : kind === 'rename'
                  ? registry.commit(handrailItself, (snapshot) =>
                      updateTool(snapshot, `${api}/${name}`, { name: other }, undefined, moment),
                    )
                  : registry.commit(handrailItself, (snapshot) => deleteApi(snapshot, api, moment));
          await work.catch(() => undefined);
          const names = namesIn(registry.snapshot, 'default');
          expect(new Set(names).size).toBe(names.length);
          for (const tool of registry.snapshot.tools.values()) {
            const [ownName, givenName] = held.get(tool.id) ?? [];
            if (ownName === tool.name) expect(nameIn(registry.snapshot, server, tool)).toBe(givenName);
          }
          if (kind === 'drop-api' && !registry.snapshot.apiBySlug.has(api)) await addApi(registry, api);
        }
      }),
      { numRuns: 12 },
    );
  });
});
