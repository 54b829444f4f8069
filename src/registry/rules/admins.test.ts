import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../../test/support/opened-registry.ts';
import type { Admin, AdminRole } from '../../domain/admin.ts';
import {
  acceptInvitation,
  createFirstAdmin,
  deleteAdmin,
  findAdminByName,
  hasAdmin,
  inviteAdmin,
  invitedBy,
  renewInvitation,
  updateAdmin,
} from './admins.ts';

const moment = { nowMs: 10_000 };
const passwordHash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA';
const invitation = (letter: string) => ({ hash: letter.repeat(64), expiresAtMs: 20_000 });
let opened: OpenedRegistry;
let ann: Admin;

const invite = (name: string, role: AdminRole, letter: string) =>
  opened.decide((snapshot) => inviteAdmin(snapshot, { name, role, invitation: invitation(letter) }, moment));
const accept = (letter: string, nowMs = 10_000) =>
  opened.decide((snapshot) => acceptInvitation(snapshot, letter.repeat(64), passwordHash, { nowMs }));

beforeEach(async () => {
  opened = await openTestRegistry();
  expect(hasAdmin(opened.registry.snapshot)).toBe(false);
  ann = await opened.decide((snapshot) =>
    createFirstAdmin(snapshot, { name: ' Ann ', passwordHash }, moment),
  );
});
afterEach(() => opened.close());

it('the first owns the installation, and there is one first', async () => {
  expect(ann).toMatchObject({ name: 'Ann', role: 'owner' });
  expect(hasAdmin(opened.registry.snapshot)).toBe(true);
  await expect(
    opened.decide((snapshot) => createFirstAdmin(snapshot, { name: 'Ben', passwordHash }, moment)),
  ).rejects.toMatchObject({ code: 'conflict' });
});

it.each(['Ann', 'ann', ' ANN ', 'A\u006en'])('is found as "%s"', (name) => {
  expect(findAdminByName(opened.registry.snapshot, name)?.id).toBe(ann.id);
});

it.each(['An', 'Anna', ''])('is not found as "%s"', (name) => {
  expect(findAdminByName(opened.registry.snapshot, name)).toBeUndefined();
});

describe('an invitation', () => {
  it('works once, and leaves nothing of itself', async () => {
    await invite('Ben', 'editor', 'a');
    expect(invitedBy(opened.registry.snapshot, 'a'.repeat(64), 19_999).name).toBe('Ben');
    const ben = await accept('a');
    expect(ben).toMatchObject({ role: 'editor', passwordHash });
    expect(ben).not.toHaveProperty('invitation');
    await expect(accept('a')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each([
    ['too late', 'a', 20_000],
    ['that nobody sent', 'b', 10_000],
  ])('%s is refused', async (_what, letter, nowMs) => {
    await invite('Ben', 'editor', 'a');
    await expect(accept(letter, nowMs)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('sent anew replaces the one before, and leaves the password until it is used', async () => {
    await invite('Ben', 'editor', 'a');
    const { id } = await accept('a');
    await opened.decide((snapshot) => renewInvitation(snapshot, id, invitation('b'), moment));
    const ben = await opened.decide((snapshot) => renewInvitation(snapshot, id, invitation('c'), moment));
    expect(ben.passwordHash).toBe(passwordHash);
    await expect(accept('b')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await accept('c')).id).toBe(id);
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
    'another owner': async () => {
      await invite('Ben', 'owner', 'a');
      await accept('a');
    },
  };

  it.each([
    ['nobody', false],
    ['an editor', false],
    ['an owner who was only invited', false],
    ['another owner', true],
  ])('beside %s, an owner may go or become something else: %s', async (who, allowed) => {
    await others[who]!();
    const demote = opened.decide((snapshot) =>
      updateAdmin(snapshot, ann.id, { role: 'viewer' }, undefined, moment),
    );
    if (allowed) expect(await demote).toMatchObject({ role: 'viewer' });
    else await expect(demote).rejects.toMatchObject({ code: 'conflict' });
    if (allowed) return;
    await expect(opened.decide((snapshot) => deleteAdmin(snapshot, ann.id))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(
      await opened.decide((snapshot) =>
        updateAdmin(snapshot, ann.id, { role: 'owner', name: 'Anna' }, undefined, moment),
      ),
    ).toMatchObject({ name: 'Anna' });
  });

  it('lets anyone else go', async () => {
    const ben = await invite('Ben', 'viewer', 'a');
    await opened.decide((snapshot) => deleteAdmin(snapshot, ben.id));
    expect(opened.registry.snapshot.admins.size).toBe(1);
  });
});

it.each([
  ['an older revision', { name: 'x' }, 9, 'stale'],
  ['a name that is none', { name: '  ' }, undefined, 'invalid_input'],
] as const)('an edit of %s is refused', async (_what, patch, revision, code) => {
  await expect(
    opened.decide((snapshot) => updateAdmin(snapshot, ann.id, patch, revision, moment)),
  ).rejects.toMatchObject({ code });
});
