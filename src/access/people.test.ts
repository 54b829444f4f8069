import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../test/support/opened-registry.ts';
import { handrailItself } from '../domain/audit.ts';
import type { Person, Role } from '../domain/person.ts';
import { identityOf, openPeople, type People } from './people.ts';

const passwordHash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA';
const invitation = (letter: string) => ({ hash: letter.repeat(64), expiresAtMs: 20_000 });
const by = handrailItself;
let nowMs: number;
let opened: OpenedRegistry;
let people: People;
let ann: Person;

const openAnother = () => openPeople({ store: opened.store.people, maxLagMs: 5_000, now: () => nowMs });
const invite = (name: string, role: Role, letter: string) =>
  people.invite(by, { name, role }, invitation(letter));
const accept = (letter: string) =>
  people.revise(
    by,
    (view) => view.byInvitation(letter.repeat(64)),
    () => ({ passwordHash, invitation: undefined }),
  );

beforeEach(async () => {
  nowMs = 10_000;
  opened = await openTestRegistry();
  people = await openAnother();
  ann = await people.createOwner(by, { name: ' Ann ', passwordHash });
});
afterEach(() => opened.close());

it('the first owns the installation, and there is one first', async () => {
  expect(ann).toMatchObject({ name: 'Ann', role: 'owner', issuer: 'local', identity: `local:${ann.id}` });
  await expect(people.createOwner(by, { name: 'Ben', passwordHash })).rejects.toMatchObject({
    code: 'conflict',
  });
});

it('leaves the registry as it was, whatever changes among people', async () => {
  const { seq } = await opened.store.registry.load();
  await invite('Ben', 'editor', 'a');
  await people.createGroup(by, { name: 'finance' });
  expect((await opened.store.registry.load()).seq).toBe(seq);
});

describe('an invitation', () => {
  it('works once, and leaves nothing of itself', async () => {
    await invite('Ben', 'editor', 'a');
    const ben = await accept('a');
    expect(ben).toMatchObject({ role: 'editor', passwordHash });
    expect(ben).not.toHaveProperty('invitation');
    await expect(accept('a')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each(['Ann', 'ANN', ' ann'])('for "%s", a name that is taken, is refused', async (name) => {
    await expect(invite(name, 'viewer', 'a')).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('somebody always owns the installation', () => {
  const others: Record<string, () => Promise<unknown>> = {
    nobody: async () => undefined,
    'an editor': async () => {
      await invite('Ben', 'editor', 'a');
      await accept('a');
    },
    'an owner who was only invited': () => invite('Ben', 'owner', 'a'),
    'an owner who is disabled': async () => {
      const { id } = await invite('Ben', 'owner', 'a');
      await accept('a');
      await people.update(by, id, { disabled: true });
    },
    'another owner': async () => {
      await invite('Ben', 'owner', 'a');
      await accept('a');
    },
  };

  it.each([
    ['nobody', false],
    ['an editor', false],
    ['an owner who was only invited', false],
    ['an owner who is disabled', false],
    ['another owner', true],
  ])('with %s, an owner may leave, be disabled or get another role: %s', async (who, allowed) => {
    await others[who]!();
    for (const change of [
      () => people.update(by, ann.id, { role: 'viewer' }),
      () => people.update(by, ann.id, { role: 'owner', disabled: true }),
      () => people.remove(by, ann.id),
    ]) {
      if (allowed) await change();
      else await expect(change()).rejects.toMatchObject({ code: 'conflict' });
      if (allowed && change.toString().includes('disabled'))
        await people.update(by, ann.id, { disabled: false });
    }
    if (!allowed) expect(await people.update(by, ann.id, { name: 'Anna' })).toMatchObject({ name: 'Anna' });
  });
});

it.each([
  ['an older revision', { name: 'x' }, 9, 'stale'],
  ['a blank name', { name: '  ' }, undefined, 'invalid_input'],
  ['a group that does not exist', { groups: ['nothing'] }, undefined, 'invalid_input'],
] as const)('an edit of %s is refused', async (_what, patch, revision, code) => {
  await expect(people.update(by, ann.id, patch, revision)).rejects.toMatchObject({ code });
});

describe('what a person may do now', () => {
  it('is the same object until something changes, and the version says that it did', async () => {
    const first = await people.personAtVersion(ann.id);
    expect(people.known(ann.id)).toBe(first);
    await people.update(by, ann.id, { email: 'ann@example.com' });
    expect(people.known(ann.id)).toBeUndefined();
    const next = await people.personAtVersion(ann.id);
    expect(next!.version).toBe(first!.version + 1);
  });

  it('follows groups, added by hand or by what the issuer says', async () => {
    const { id } = await invite('Ben', 'none', 'a');
    const byHand = await people.createGroup(by, { name: 'Finance', role: 'viewer' });
    await people.update(by, id, { groups: ['finance'] });
    expect(await people.personAtVersion(id)).toMatchObject({ role: 'viewer', groups: [byHand.id] });
    const said = await people.createGroup(by, {
      name: 'Ops',
      role: 'editor',
      claims: [
        { issuer: 'local', value: 'ops' },
        { issuer: 'https://id.example.com', value: 'finance' },
      ],
    });
    await people.revise(
      by,
      (view) => view.get(id),
      () => ({ claims: ['ops', 'finance'] }),
    );
    expect(await people.personAtVersion(id)).toMatchObject({ role: 'editor', groups: [byHand.id, said.id] });
    await people.removeGroup(by, said.id);
    expect(await people.personAtVersion(id)).toMatchObject({ role: 'viewer', groups: [byHand.id] });
    expect(people.groupsOfClaims('https://id.example.com', ['finance'])).toEqual([]);
  });

  it('is nothing once they are disabled or removed, and for an id that never was', async () => {
    const { id } = await invite('Ben', 'editor', 'a');
    await people.update(by, id, { disabled: true });
    expect(await people.personAtVersion(id)).toBeNull();
    await people.update(by, id, { disabled: false });
    expect(await people.personAtVersion(id)).not.toBeNull();
    await people.remove(by, id);
    expect(await people.personAtVersion(id)).toBeNull();
    expect(await people.personAtVersion('person_none')).toBeNull();
  });

  it('is seen by another instance at its next look', async () => {
    const { id } = await invite('Ben', 'editor', 'a');
    const other = await openAnother();
    expect(await other.personAtVersion(id)).toMatchObject({ role: 'editor' });
    await people.remove(by, id);
    expect(other.known(id)).toMatchObject({ role: 'editor' });
    await other.sync();
    expect(other.known(id)).toBeUndefined();
    expect(await other.personAtVersion(id)).toBeNull();
  });

  it('is refused by an instance that has been cut off from the store for longer than the lag', async () => {
    await people.personAtVersion(ann.id);
    nowMs += 5_000;
    expect(people.known(ann.id)).toMatchObject({ role: 'owner' });
    nowMs += 1;
    expect(() => people.known(ann.id)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    await expect(people.personAtVersion(ann.id)).rejects.toMatchObject({ code: 'unavailable' });
    await people.sync();
    expect(people.known(ann.id)).toMatchObject({ role: 'owner' });
  });
});

it('says in the audit log what changed, and no secret', async () => {
  await invite('Ben', 'editor', 'a');
  await accept('a');
  const { entries } = await opened.store.audit.find({ subjectKind: 'person' }, 10);
  expect(entries.map(({ action }) => action)).toEqual(['person.update', 'person.create', 'person.create']);
  expect(JSON.stringify(entries)).not.toContain('a'.repeat(64));
  expect(JSON.stringify(entries)).not.toContain('$argon2id');
});

it('tells apart subjects of any length that begin alike, and issuers that end where a subject begins', () => {
  const long = 'x'.repeat(5_000);
  const all = [
    identityOf('https://a.example.com', `${long}1`),
    identityOf('https://a.example.com', `${long}2`),
    identityOf('https://a.example.com:', 'b'),
    identityOf('https://a.example.com', ':b'),
    identityOf('https://b.example.com', `${long}1`),
  ];
  expect(new Set(all).size).toBe(all.length);
});
