import { describe, expect, test } from 'vitest';
import type { StoredReply } from '../../../src/storage/ports.ts';
import type { StorePlace } from './place.ts';

/** The promises of replies that are kept for a while. */
export function describeKeptReplies({ name, makeEmpty, open, openEmpty }: StorePlace): void {
  describe(`kept replies on ${name}`, () => {
    const reply = (id: string, more: Partial<StoredReply> = {}): StoredReply => ({
      id,
      callerId: 'key:1',
      createdAtMs: 1,
      expiresAtMs: 1_000,
      bytes: 4,
      head: Buffer.from([0, 255, 1]),
      ...more,
    });
    const parts = [Buffer.from([1, 0, 2]), Buffer.from([200])];

    test('come back byte for byte, also from another process', async () => {
      const place = await makeEmpty();
      const [one, other] = [await open(place), await open(place)];
      await one.keptReplies.put(reply('a'), parts);
      expect(await other.keptReplies.get('a')).toEqual(reply('a'));
      expect(await other.keptReplies.part('a', 0)).toEqual(Buffer.from([1, 0, 2]));
      expect(await other.keptReplies.part('a', 1)).toEqual(Buffer.from([200]));
      expect(await other.keptReplies.part('a', 2)).toBeNull();
      expect(await other.keptReplies.get('b')).toBeNull();
      expect(await other.keptReplies.usage()).toEqual({ count: 1, bytes: 4 });
    });

    test('are kept whole or not at all', async () => {
      const { keptReplies } = await openEmpty();
      await keptReplies.put(reply('a'), parts);
      await expect(keptReplies.put(reply('a', { bytes: 9 }), parts)).rejects.toThrow('already exists');
      expect(await keptReplies.usage()).toEqual({ count: 1, bytes: 4 });
    });

    test('end with their time, their caller, or when the newer ones need the room', async () => {
      const { keptReplies } = await openEmpty();
      await keptReplies.put(reply('old', { expiresAtMs: 10 }), parts);
      for (let n = 0; n < 300; n++) await keptReplies.put(reply(`r${n}`, { createdAtMs: n }), [parts[1]!]);
      await keptReplies.put(reply('theirs', { callerId: 'key:2', createdAtMs: 500 }), parts);
      await keptReplies.removeEnded(10, 1_000_000);
      expect(await keptReplies.get('old')).toBeNull();
      expect(await keptReplies.part('old', 0)).toBeNull();
      await keptReplies.removeEnded(11, 40);
      expect(await keptReplies.usage()).toEqual({ count: 10, bytes: 40 });
      expect(await keptReplies.get('r290')).toBeNull();
      expect(await keptReplies.get('r291')).not.toBeNull();
      await keptReplies.removeAllOf('key:1');
      expect(await keptReplies.get('r299')).toBeNull();
      expect(await keptReplies.get('theirs')).not.toBeNull();
    });

    test('leave no part behind that came while they were taken away', async () => {
      const place = await makeEmpty();
      const [one, other] = [await open(place), await open(place)];
      for (let n = 0; n < 20; n++) {
        const id = `r${n}`;
        await one.keptReplies.begin(reply(id));
        const [isThere] = await Promise.all([
          one.keptReplies.addPart(id, 0, parts[0]!),
          (n % 2 === 0 ? one : other).keptReplies.remove(id),
        ]);
        expect(await one.keptReplies.part(id, 0)).toBeNull();
        expect(typeof isThere).toBe('boolean');
        expect(await one.keptReplies.addPart(id, 1, parts[1]!)).toBe(false);
      }
      expect(await one.keptReplies.usage()).toEqual({ count: 0, bytes: 0 });
    });
  });
}
