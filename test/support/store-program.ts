// Run as a process of its own by the store's contract suite: `open PLACE` opens and closes a store,
// `commit PLACE` commits one server after another and prints each sequence number once it is acknowledged.
import { writeSync } from 'node:fs';
import type { Server } from '../../src/domain/server.ts';
import type { StoreOptions } from '../../src/storage/open-store.ts';
import { openStore } from '../../src/storage/open-store.ts';

const [task, place] = process.argv.slice(2);
const store = await openStore(JSON.parse(place!) as StoreOptions);
if (task === 'commit') {
  let { seq } = await store.registry.load();
  for (;;) {
    const id = `srv_${seq + 1}`;
    const entity: Server = {
      id,
      slug: id.replace('_', '-'),
      name: id,
      tools: [],
      overrides: {},
      policy: { kind: 'open' },
      ratePerMinute: 0,
      enabled: true,
      revision: 1,
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    const next = await store.registry.commit(seq, [{ op: 'put', kind: 'server', entity }]);
    if (next === null) throw new Error('someone else committed');
    seq = next;
    writeSync(1, `${seq}\n`);
  }
}
await store.close();
