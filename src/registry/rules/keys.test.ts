import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../../test/support/opened-registry.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import { createKey, deleteKey, findKey, type KeyPatch, revokeKey, rotateKey, updateKey } from './keys.ts';

const moment = { nowMs: 10_000 };
const secret = (letter: string) => ({ hash: letter.repeat(64), hint: `hrk_${letter}` });
let opened: OpenedRegistry;
let key: AccessKey;

beforeEach(async () => {
  opened = await openTestRegistry();
  key = await opened.decide((snapshot) =>
    createKey(
      snapshot,
      { name: 'Robot', servers: ['default'], expiresAtMs: 50_000, ratePerMinute: 5 },
      secret('a'),
      moment,
    ),
  );
});
afterEach(() => opened.close());

const serverId = () => opened.registry.snapshot.serverBySlug.get('default')!.id;
const update = (patch: KeyPatch, revision?: number) =>
  opened.decide((snapshot) => updateKey(snapshot, key.id, patch, revision, moment));

it('is known by its hash, and opens what it names', () => {
  expect(key).toMatchObject({ serverIds: [serverId()], expiresAtMs: 50_000, ratePerMinute: 5, revision: 1 });
  expect(opened.registry.snapshot.keyByHash.get('a'.repeat(64))).toEqual(key);
});

describe('an edit', () => {
  it.each([
    ['takes a restriction away', { servers: null }, 'serverIds', undefined],
    ['takes the end away', { expiresAtMs: null }, 'expiresAtMs', undefined],
    ['takes the limit away', { ratePerMinute: null }, 'ratePerMinute', undefined],
    ['sets another end', { expiresAtMs: 60_000 }, 'expiresAtMs', 60_000],
    ['leaves what it does not name', { name: 'Other' }, 'ratePerMinute', 5],
    ['can open nothing', { servers: [] }, 'serverIds', []],
  ] as const)('%s', async (_what, patch, field, value) => {
    const edited = await update(patch);
    expect(edited[field]).toEqual(value);
    expect(field in edited).toBe(value !== undefined);
    expect([edited.hash, edited.hint]).toEqual([key.hash, key.hint]);
  });

  it.each([
    ['of an older revision', { name: 'x' }, 9, 'stale'],
    ['to a server that is not there', { servers: ['nothing'] }, undefined, 'not_found'],
    ['to a tool that is not there', { tools: ['nothing'] }, undefined, 'not_found'],
  ] as const)('%s is refused', async (_what, patch, revision, code) => {
    await expect(update(patch, revision)).rejects.toMatchObject({ code });
  });
});

describe('a rotation', () => {
  const rotate = (id: string, overlapMs: number, letter: string) =>
    opened.decide((snapshot) => rotateKey(snapshot, id, secret(letter), overlapMs, moment));

  it.each([
    [0, 10_000],
    [5_000, 15_000],
    // The old key had an end of its own, which it keeps.
    [1_000_000, 50_000],
  ])('lets the old key work for another %i ms: until %i', async (overlapMs, untilMs) => {
    const fresh = await rotate(key.id, overlapMs, 'b');
    expect(findKey(opened.registry.snapshot, key.id).expiresAtMs).toBe(untilMs);
    expect(fresh).toMatchObject({
      name: 'Robot',
      ratePerMinute: 5,
      replacesId: key.id,
      subjectId: key.id,
      revision: 1,
    });
    expect(fresh.id).not.toBe(key.id);
  });

  it('of a rotation keeps the first name', async () => {
    const second = await rotate(key.id, 0, 'b');
    const third = await rotate(second.id, 0, 'c');
    expect(third).toMatchObject({ replacesId: second.id, subjectId: key.id });
  });

  it('is refused for a revoked key', async () => {
    await opened.decide((snapshot) => revokeKey(snapshot, key.id, moment));
    await expect(rotate(key.id, 0, 'b')).rejects.toMatchObject({ code: 'conflict' });
  });
});

it('is revoked once; the second time changes nothing', async () => {
  const revoked = await opened.decide((snapshot) => revokeKey(snapshot, key.id, moment));
  const again = await opened.decide((snapshot) => revokeKey(snapshot, key.id, { nowMs: 20_000 }));
  expect([revoked.revokedAtMs, again.revokedAtMs, again.revision]).toEqual([10_000, 10_000, 2]);
});

it('is forgotten when it is deleted', async () => {
  await opened.decide((snapshot) => deleteKey(snapshot, key.id));
  expect(opened.registry.snapshot.keyByHash.has(key.hash)).toBe(false);
  await expect(opened.decide((snapshot) => deleteKey(snapshot, key.id))).rejects.toMatchObject({
    code: 'not_found',
  });
});
