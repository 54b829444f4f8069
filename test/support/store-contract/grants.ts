import { describe, expect, test } from 'vitest';
import type { GrantEntry } from '../../../src/storage/ports.ts';
import type { StorePlace } from './place.ts';

/** The promises of what the built-in authorization server keeps. */
export function describeGrants({ name: place, makeEmpty, open, openEmpty }: StorePlace): void {
  describe(`the entries of the authorization server on ${place}`, () => {
    const startMs = 1_700_000_000_000;
    const token = (name: string, more: Partial<GrantEntry> = {}): GrantEntry => ({
      name,
      kind: 'AccessToken',
      createdAtMs: startMs,
      expiresAtMs: startMs + 60_000,
      doc: '{"says":"\u0000 ünïcode"}',
      ...more,
    });

    test('are found by name, kind and second name, until they expire', async () => {
      const { grants } = await openEmpty();
      await grants.put(token('secret', { grantId: 'g1', lookup: 'second', personId: 'p1' }));
      expect(await grants.get('AccessToken', 'secret', startMs)).toMatchObject({
        grantId: 'g1',
        personId: 'p1',
        createdAtMs: startMs,
        expiresAtMs: startMs + 60_000,
      });
      expect(await grants.find('AccessToken', 'second', startMs)).toMatchObject({ grantId: 'g1' });
      expect(await grants.get('RefreshToken', 'secret', startMs)).toBeNull();
      expect(await grants.get('AccessToken', 'secret', startMs + 60_000)).toBeNull();
      expect(await grants.find('AccessToken', 'second', startMs + 60_000)).toBeNull();
    });

    test('are used up once, also by two processes at the same time', async () => {
      const options = await makeEmpty();
      const [one, other] = [await open(options), await open(options)];
      await one.grants.put(token('once'));
      const used = await Promise.all(
        [one, other, one, other].map(({ grants }) => grants.consume('AccessToken', 'once', startMs)),
      );
      expect(used.filter(Boolean)).toHaveLength(1);
      expect(await other.grants.consume('AccessToken', 'gone', startMs)).toBe(false);
      // Stored again, it stays used up.
      await one.grants.put(token('once'));
      expect(await other.grants.get('AccessToken', 'once', startMs)).toMatchObject({ consumedAtMs: startMs });
    });

    test('end with their grant or their person, which every process can notice', async () => {
      const options = await makeEmpty();
      const [one, other] = [await open(options), await open(options)];
      const before = await other.grants.epoch();
      for (const grantId of ['g1', 'g2', 'g3'])
        await one.grants.put(token(grantId, { grantId, personId: grantId === 'g3' ? 'p2' : 'p1' }));
      await one.grants.put(token('code', { kind: 'AuthorizationCode', grantId: 'g1' }));
      expect(await other.grants.epoch()).toBe(before);
      expect(await one.grants.endGrant('g1')).toBe(2);
      const after = await other.grants.epoch();
      expect(after).not.toBe(before);
      expect(await one.grants.endGrant('g1')).toBe(0);
      expect(await other.grants.epoch()).toBe(after);
      expect(
        [...(await other.grants.standing('AccessToken', ['g1', 'g2', 'g3'], startMs))].toSorted(),
      ).toEqual(['g2', 'g3']);
      expect(await one.grants.endGrantsOf('p1')).toBe(1);
      expect([...(await other.grants.standing('AccessToken', ['g2', 'g3'], startMs))]).toEqual(['g3']);
    });

    test('are removed one by one, which ends no grant', async () => {
      const { grants } = await openEmpty();
      await grants.put(token('a'));
      await grants.remove('AccessToken', 'a');
      expect(await grants.epoch()).toBe('');
      expect(await grants.count('AccessToken')).toBe(0);
    });

    test('are listed newest first, of everyone or one person', async () => {
      const { grants } = await openEmpty();
      for (let i = 0; i < 5; i++)
        await grants.put(
          token(`t${i}`, { grantId: `g${i}`, personId: `p${i % 2}`, createdAtMs: startMs + i }),
        );
      const ids = (found: readonly { readonly grantId?: string | undefined }[]) =>
        found.map(({ grantId }) => grantId);
      const nowMs = startMs;
      expect(ids(await grants.list('AccessToken', { nowMs, limit: 3 }))).toEqual(['g4', 'g3', 'g2']);
      expect(ids(await grants.list('AccessToken', { nowMs, limit: 3, beforeMs: startMs + 2 }))).toEqual([
        'g1',
        'g0',
      ]);
      expect(ids(await grants.list('AccessToken', { nowMs, limit: 9, personId: 'p1' }))).toEqual([
        'g3',
        'g1',
      ]);
    });

    test('have a last use and an end that a grant shares', async () => {
      const { grants } = await openEmpty();
      await grants.put(token('a', { grantId: 'g1' }));
      await grants.touch('AccessToken', 'g1', startMs + 5);
      await grants.prolong('AccessToken', 'g1', startMs + 100_000);
      await grants.prolong('AccessToken', 'g1', startMs + 90_000);
      expect(await grants.get('AccessToken', 'a', startMs + 70_000)).toMatchObject({
        usedAtMs: startMs + 5,
        expiresAtMs: startMs + 100_000,
      });
    });

    test('are bounded: what has expired goes, then what expires first', async () => {
      const { grants } = await openEmpty();
      for (let i = 0; i < 6; i++)
        await grants.put(token(`t${i}`, { expiresAtMs: startMs + i * 1_000, lookup: `l${i}` }));
      await grants.put(token('other', { kind: 'Client', expiresAtMs: startMs + 1_500 }));
      await grants.removeEnded(startMs + 1_000, { kind: 'AccessToken', max: 2 });
      expect(await grants.count('AccessToken')).toBe(2);
      expect(await grants.find('AccessToken', 'l5', startMs)).not.toBeNull();
      expect(await grants.count('Client')).toBe(1);
      await grants.put(token('of a grant', { grantId: 'g1' }));
      expect([await grants.count('AccessToken', 'g1'), await grants.count('AccessToken', 'g2')]).toEqual([
        1, 0,
      ]);
    });
  });
}
