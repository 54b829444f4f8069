import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../dist/storage/open-store.js';
import { sqliteFile } from '../../scripts/soak/ten-million/databases.js';
import { fillCalls } from '../../scripts/soak/ten-million/fill.js';
import { median } from '../statistics.js';

const questions = {
  newestMs: (store) => store.calls.find({}, 50),
  rareToolMs: (store) => store.calls.find({ toolName: 'tool_number_99' }, 50),
  textMs: (store) => store.calls.find({ text: 'no record says this' }, 50),
  countMs: (store) => store.calls.count({ toolName: 'tool_number_99' }),
};

/** CPU of pages and counts in a store with a number of records over 90 days, and its bytes per record. */
export async function measureRecords(count) {
  const dataDir = mkdtempSync(join(tmpdir(), 'handrail-growth-records-'));
  try {
    const store = await openStore({ dataDir });
    const database = sqliteFile(dataDir, store);
    await fillCalls(database, store, count, () => {});
    await database.close();
    const result = { bytesPerRecord: statSync(join(dataDir, 'handrail.db')).size / count };
    for (const [name, ask] of Object.entries(questions)) {
      const taken = [];
      for (let n = 0; n < 7; n++) {
        const since = process.cpuUsage();
        await ask(store);
        const { user, system } = process.cpuUsage(since);
        taken.push((user + system) / 1_000);
      }
      result[name] = median(taken);
    }
    await store.close();
    return result;
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
}
