import { describe, expect, test } from 'vitest';
import type { PersonSession } from '../../../src/domain/person.ts';

import type { StorePlace } from './place.ts';

/** The promises of sessions and of facts. */
export function describeSessionsAndFacts({ name, makeEmpty, open, openEmpty }: StorePlace): void {
  describe(`sessions on ${name}`, () => {
    const session = (hash: string, personId = 'person_1'): PersonSession => ({
      hash,
      personId,
      createdAtMs: 1,
      lastSeenAtMs: 1,
      expiresAtMs: 1_000,
      address: '127.0.0.1',
      userAgent: 'a browser',
    });

    test('are kept, touched, and ended one by one, all at once or when they expire', async () => {
      const { sessions } = await openEmpty();
      for (const each of [session('a'), session('b'), session('c', 'person_2')]) await sessions.add(each);
      await sessions.touch('b', 500);
      expect((await sessions.listOf('person_1')).map((each) => each.hash)).toEqual(['b', 'a']);
      expect(await sessions.get('a')).toEqual(session('a'));
      await sessions.removeAllOf('person_1', 'b');
      expect(await sessions.get('a')).toBeNull();
      await sessions.remove('b');
      expect(await sessions.get('b')).toBeNull();
      await sessions.removeExpired(999);
      expect(await sessions.get('c')).not.toBeNull();
      await sessions.removeExpired(1_000);
      expect(await sessions.get('c')).toBeNull();
    });

    test('are at most a hundred of a person: the one not seen for longest ends', async () => {
      const { sessions } = await openEmpty();
      await sessions.add(session('another', 'person_2'));
      for (let i = 0; i < 100; i++) await sessions.add(session(`s${i}`));
      await sessions.touch('s0', 500);
      await sessions.touch('s1', 400);
      await sessions.add({ ...session('newest'), lastSeenAtMs: 600 });
      const left = (await sessions.listOf('person_1')).map(({ hash }) => hash);
      expect([left.length, left.slice(0, 3)]).toEqual([100, ['newest', 's0', 's1']]);
      expect(await sessions.get('another')).not.toBeNull();
    });
  });

  describe(`facts on ${name}`, () => {
    test('are set, replaced and deleted by name', async () => {
      const { meta } = await openEmpty();
      expect(await meta.get('a')).toBeNull();
      await meta.set('a', '1');
      await meta.set('a', '2');
      expect(await meta.get('a')).toBe('2');
      await meta.delete('a');
      await meta.delete('a');
      expect(await meta.get('a')).toBeNull();
    });

    test('let the first of racing processes decide', async () => {
      const place = await makeEmpty();
      const stores = [await open(place), await open(place)];
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[i % 2]!.meta.setIfAbsent('key', `value ${i}`)),
      );
      expect(new Set(results).size).toBe(1);
      expect(await stores[0]!.meta.get('key')).toBe(results[0]);
    });
  });

  describe(`leases on ${name}`, () => {
    test('go to one of racing processes, which may prolong and give back', async () => {
      const place = await makeEmpty();
      const stores = [await open(place), await open(place)];
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[i % 2]!.leases.claim('work', `owner ${i}`, 600_000)),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      const owner = `owner ${claims.indexOf(true)}`;
      expect(await stores[0]!.leases.claim('work', owner, 600_000)).toBe(true);
      expect(await stores[1]!.leases.claim('work', 'another', 600_000)).toBe(false);
      await stores[1]!.leases.release('work', 'another');
      expect(await stores[1]!.leases.claim('work', 'another', 600_000)).toBe(false);
      await stores[1]!.leases.release('work', owner);
      expect(await stores[1]!.leases.claim('work', 'another', 600_000)).toBe(true);
    });

    test('end by themselves', async () => {
      const { leases } = await openEmpty();
      expect(await leases.claim('work', 'gone', 1)).toBe(true);
      await expect.poll(() => leases.claim('work', 'next', 600_000)).toBe(true);
      expect(await leases.claim('work', 'gone', 1)).toBe(false);
    });
  });
}
