import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../test/support/opened-registry.ts';
import { handrailItself } from '../domain/audit.ts';
import { type Caller, mayUseTool } from '../domain/call.ts';
import type { AccessRule } from '../domain/server.ts';
import { createApi } from '../registry/rules/apis.ts';
import { updateServer } from '../registry/rules/servers.ts';
import { createTool } from '../registry/rules/tools.ts';
import { openRules } from '../../test/support/opened-registry.ts';
import { localCaller, personCaller } from './callers.ts';
import { openPeople, type People } from './people.ts';
import { createServerRules, type ServerRules } from './server-rules.ts';

const by = handrailItself;
const moment = { nowMs: 10_000 };
const issuer = 'https://id.example.com';
let opened: OpenedRegistry;
let people: People;
let rules: ServerRules;
const tools = new Map<string, string>();

beforeEach(async () => {
  opened = await openTestRegistry();
  people = await openPeople({ store: opened.store.people, maxLagMs: 5_000, now: () => 10_000 });
  rules = createServerRules({ people, snapshot: () => opened.registry.snapshot });
  await opened.decide((snapshot) =>
    createApi(snapshot, { slug: 'shop', baseUrl: 'https://api.example.com' }, moment),
  );
  for (const [name, method] of [
    ['look', 'GET'],
    ['order', 'POST'],
    ['drop', 'DELETE'],
  ] as const) {
    const operation = { method, path: `/${name}`, parameters: [] };
    const made = await opened.decide((snapshot) =>
      createTool(snapshot, { api: 'shop', name, description: name, operation }, moment),
    );
    tools.set(name, made.id);
  }
});
afterEach(() => opened.close());

const setRules = (access: readonly AccessRule[] | undefined) =>
  opened.decide((snapshot) =>
    updateServer(snapshot, 'default', { policy: { kind: 'key' }, access }, undefined, openRules, moment),
  );

async function personIn(name: string, groups: readonly string[]): Promise<string> {
  const invitation = { hash: name.padEnd(64, '0'), expiresAtMs: 20_000 };
  return (await people.invite(by, { name, role: 'none', groups }, invitation)).id;
}

function usable(caller: Caller): string[] | string {
  const server = opened.registry.snapshot.serverBySlug.get('default')!;
  try {
    const restricted = rules.apply(server, caller);
    return [...tools].filter(([, id]) => mayUseTool(restricted, id)).map(([name]) => name);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const everything = ['look', 'order', 'drop'];

describe('what groups and people may use of a server', () => {
  it('is everything without rules, and nothing with an empty list of them', async () => {
    const ann = personCaller((await people.personAtVersion(await personIn('Ann', [])))!);
    expect(usable(ann)).toEqual(everything);
    await setRules([]);
    expect(usable(ann)).toBe('forbidden');
  });

  it('adds up over the groups of a person, by kind and by tool, and follows both at once', async () => {
    const a = await people.createGroup(by, { name: 'A' });
    const b = await people.createGroup(by, { name: 'B' });
    const [ann, ben, cid] = [
      await personIn('Ann', ['A']),
      await personIn('Ben', ['A', 'B']),
      await personIn('Cid', []),
    ];
    await setRules([
      { group: a.id, kinds: ['read'] },
      { group: b.id, tools: [{ toolId: tools.get('drop')! }] },
      { person: cid, kinds: ['read', 'write', 'destructive'] },
    ]);
    const as = async (id: string) => usable(personCaller((await people.personAtVersion(id))!));
    expect([await as(ann), await as(ben), await as(cid)]).toEqual([['look'], ['look', 'drop'], everything]);
    await people.update(by, ben, { groups: ['B'] });
    expect(await as(ben)).toEqual(['drop']);
    await people.removeGroup(by, b.id);
    expect(await as(ben)).toBe('forbidden');
  });

  it('never gives back what a grant leaves out', async () => {
    const a = await people.createGroup(by, { name: 'A' });
    const ann = personCaller((await people.personAtVersion(await personIn('Ann', ['A'])))!);
    await setRules([{ group: a.id, kinds: ['read', 'write'] }]);
    expect(usable({ ...ann, toolIds: new Set([tools.get('order')!, tools.get('drop')!]) })).toEqual([
      'order',
    ]);
    await setRules([{ group: a.id }]);
    expect(usable({ ...ann, toolIds: new Set([tools.get('drop')!]) })).toEqual(['drop']);
  });

  it('goes by the claims of a foreign token as well, those of that issuer', async () => {
    const ops = await people.createGroup(by, { name: 'Ops', claims: [{ issuer, value: 'ops' }] });
    await setRules([{ group: ops.id, kinds: ['read'] }]);
    const token = { id: 'oauth:1', kind: 'oauth', label: 'Ann' } as const;
    expect(usable({ ...token, issuerClaims: { issuer, values: ['ops', 'x'] } })).toEqual(['look']);
    expect(usable({ ...token, issuerClaims: { issuer, values: ['dev'] } })).toBe('forbidden');
    expect(usable({ ...token, issuerClaims: { issuer: 'https://evil.example.com', values: ['ops'] } })).toBe(
      'forbidden',
    );
    expect(usable(token)).toBe('forbidden');
  });

  it('does not restrict operators and keys of programs, but a key that is a person’s', async () => {
    await setRules([]);
    const key = { id: 'key:1', kind: 'key', label: 'robot' } as const;
    expect(usable(key)).toEqual(everything);
    expect(usable(localCaller)).toEqual(everything);
    expect(usable({ ...key, person: { id: 'person_1', role: 'none', groups: [] } })).toBe('forbidden');
  });

  it('limits how often, by the most generous rule and never beyond the grant', async () => {
    const a = await people.createGroup(by, { name: 'A' });
    const b = await people.createGroup(by, { name: 'B' });
    const ann = personCaller((await people.personAtVersion(await personIn('Ann', ['A', 'B'])))!);
    const server = () => opened.registry.snapshot.serverBySlug.get('default')!;
    await setRules([
      { group: a.id, ratePerMinute: 5 },
      { group: b.id, ratePerMinute: 9 },
    ]);
    expect(rules.apply(server(), ann).ratePerMinute).toBe(9);
    expect(rules.apply(server(), { ...ann, ratePerMinute: 2 }).ratePerMinute).toBe(2);
    await setRules([{ group: a.id, ratePerMinute: 5 }, { group: b.id }]);
    expect(rules.apply(server(), ann).ratePerMinute).toBeUndefined();
  });

  it('cannot be set for an open server, which knows no one', async () => {
    await expect(
      opened.decide((snapshot) =>
        updateServer(
          snapshot,
          'default',
          { policy: { kind: 'open' }, access: [] },
          undefined,
          openRules,
          moment,
        ),
      ),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
