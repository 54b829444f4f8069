import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestRegistry, type OpenedRegistry } from '../../../test/support/opened-registry.ts';
import { createServer } from '../../registry/rules/servers.ts';
import type { GrantStore } from '../../storage/ports.ts';
import { HandrailError } from '../../domain/errors.ts';
import { handrailItself } from '../../domain/audit.ts';
import { tokenNeededError } from './token-audience.ts';
import { signInChallenge } from '../callers.ts';
import { openPeople, type People } from '../people.ts';
import { createGrantedTokens, entryKinds, type GrantedTokens } from './granted-tokens.ts';

const secret = 'an-access-token';
const maxLagMs = 5_000;
let opened: OpenedRegistry;
let people: People;
let nowMs: number;
let personId: string;
const instances: GrantedTokens[] = [];

beforeEach(async () => {
  opened = await openTestRegistry();
  nowMs = 1_000_000;
  people = await openPeople({ store: opened.store.people, maxLagMs, now: () => nowMs });
  const person = await people.createOwner(handrailItself, { name: 'Ann', passwordHash: 'x' });
  personId = person.id;
  await opened.registry.commit(handrailItself, (snapshot) =>
    createServer(
      snapshot,
      { slug: 'team', tools: [{ all: true }], policy: { kind: 'sign-in' } },
      { defaultPolicy: { kind: 'key' }, openAllowed: false },
      { nowMs },
    ),
  );
  const entry = { grantId: 'grant_1', personId, createdAtMs: nowMs, expiresAtMs: nowMs + 900_000 };
  await opened.store.grants.put({
    ...entry,
    name: secret,
    kind: entryKinds.accessToken,
    doc: '{"scope":"tools:read tools:write tools:destructive"}',
  });
  await opened.store.grants.put({
    ...entry,
    name: 'grant_1',
    kind: entryKinds.connectedApp,
    doc: JSON.stringify({
      id: 'grant_1',
      personId,
      serverId: team().id,
      clientId: 'client_1',
      name: 'An app',
      consent: { kinds: ['read', 'write', 'destructive'], except: [], also: [] },
      createdAtMs: nowMs,
    }),
  });
});
afterEach(async () => {
  for (const each of instances.splice(0)) each.close();
  await opened.close();
});

const team = () => opened.registry.snapshot.view('team')!.server;

function instance(change: (grants: GrantStore) => Partial<GrantStore> = () => ({})): GrantedTokens {
  const { grants } = opened.store;
  const made = createGrantedTokens({
    grants: { ...grants, ...change(grants) },
    viewOf: (slug) => opened.registry.snapshot.view(slug),
    people,
    now: () => nowMs,
  });
  instances.push(made);
  return made;
}

const check = (at: GrantedTokens) =>
  at.check(secret, team(), (why) => tokenNeededError(signInChallenge(team(), 'https://gw.example.com'), why));

it('is remembered, and refused within a look of the instance after another ended it', async () => {
  const [here, there] = [instance(), instance()];
  expect(await check(here)).toMatchObject({ label: 'Ann' });
  expect(here.remembered(secret, team())).toBeDefined();
  await check(there);
  await opened.store.grants.endGrant('grant_1');
  await there.recheck();
  expect(there.remembered(secret, team())).toBeUndefined();
  await expect(check(there)).rejects.toBeInstanceOf(HandrailError);
  // The timer of the other instance does what was asked for above.
  await expect.poll(() => here.remembered(secret, team()), { timeout: 5_000 }).toBeUndefined();
});

it('is refused by an instance that cannot reach the store for longer than 5 s', async () => {
  let isAway = false;
  const at = instance((grants) => ({
    epoch: () => (isAway ? Promise.reject(new Error('away')) : grants.epoch()),
    get: (...args) => (isAway ? Promise.reject(new Error('away')) : grants.get(...args)),
  }));
  await check(at);
  isAway = true;
  nowMs += maxLagMs;
  expect(at.remembered(secret, team())).toBeDefined();
  nowMs += 1;
  expect(at.remembered(secret, team())).toBeUndefined();
  await expect(check(at)).rejects.toThrow('away');
});

/** An instance in which something happens once, between reading a grant and remembering it. */
function interrupted(event: () => Promise<unknown>): GrantedTokens {
  let isOver = false;
  return instance((grants) => ({
    async get(kind, ...rest) {
      const entry = await grants.get(kind, ...rest);
      if (kind === entryKinds.connectedApp && !isOver) {
        isOver = true;
        await event();
      }
      return entry;
    },
  }));
}

it('is not remembered when it ended while it was checked', async () => {
  const at = interrupted(async () => {
    await opened.store.grants.endGrant('grant_1');
    await at.recheck();
  });
  await expect(check(at)).rejects.toBeInstanceOf(HandrailError);
  expect(at.remembered(secret, team())).toBeUndefined();
});

it('is accepted when anyone else changed while it was checked', async () => {
  const at = interrupted(() => people.createGroup(handrailItself, { name: 'Ops' }));
  expect(await check(at)).toMatchObject({ label: 'Ann' });
});

it('follows its person, and ends with them', async () => {
  const at = instance();
  await check(at);
  await people.update(handrailItself, personId, { name: 'Ann B' });
  expect(await check(at)).toMatchObject({ label: 'Ann B' });
  const hash = 'h'.repeat(64);
  const { id } = await people.invite(
    handrailItself,
    { name: 'Bo', role: 'owner' },
    { hash, expiresAtMs: nowMs + 1 },
  );
  await people.revise(
    handrailItself,
    (view) => view.get(id),
    () => ({ passwordHash: 'y' }),
  );
  await people.update(handrailItself, personId, { disabled: true });
  expect(at.remembered(secret, team())).toBeUndefined();
  await expect(check(at)).rejects.toBeInstanceOf(HandrailError);
});
