import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/storage/open-store.ts';
import { bundle } from '../bundle.ts';
import { startChild } from '../child.ts';

import type { StorePlace } from './place.ts';

/** The promises of opening, closing and sharing a store. */
export function describeLife({ name, makeEmpty, open, openEmpty }: StorePlace): void {
  describe(`the life of a store on ${name}`, () => {
    test('answers a ping', async () => {
      await expect((await openEmpty()).ping()).resolves.toBeUndefined();
    });

    test(
      'five processes that start at once on an empty place all come up',
      { timeout: 120_000 },
      async () => {
        const place = await makeEmpty();
        const program = await bundle('test/support/store-program.ts');
        const children = Array.from({ length: 5 }, () =>
          startChild(program, ['open', JSON.stringify(place)]),
        );
        for (const child of children)
          expect(await child.ended).toEqual({ code: 0, signal: null, errors: '' });
        expect((await (await open(place)).registry.load()).seq).toBe(0);
      },
    );

    test(
      'keeps every acknowledged commit of a process that is killed in the middle of its work',
      { timeout: 120_000 },
      async () => {
        const place = await makeEmpty();
        const program = await bundle('test/support/store-program.ts');
        let acknowledged = 0;
        for (let kill = 0; kill < 10; kill++) {
          const child = startChild(program, ['commit', JSON.stringify(place)]);
          // The moment differs from round to round: after 1, 4, 7 … further commits.
          const until = acknowledged + 1 + kill * 3;
          for await (const line of child.lines) {
            acknowledged = Number(line);
            if (acknowledged >= until) break;
          }
          child.kill();
          await child.ended;
          const store = await openStore(place);
          const state = await store.registry.load();
          await store.close();
          // One more may have been written than the process lived to say.
          expect(state.seq).toBeGreaterThanOrEqual(acknowledged);
          expect(state.servers.map((s) => s.id).toSorted()).toEqual(
            Array.from({ length: state.seq }, (_, i) => `srv_${i + 1}`).toSorted(),
          );
          acknowledged = state.seq;
        }
        expect(acknowledged).toBeGreaterThanOrEqual(10);
      },
    );
  });
}
