import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quartiles, showRatio } from './statistics.js';

const writer = fileURLToPath(new URL('./variants/record-writer.js', import.meta.url));
const own = fileURLToPath(new URL('..', import.meta.url));

/**
 * The cost of storing a call record: CPU of a process that does nothing else, on SQLite and, if a URL is given,
 * on PostgreSQL. With another checkout, the two alternate.
 */
export async function benchRecords({ against, postgres, rounds }) {
  const checkouts = [own, ...(against === undefined ? [] : [resolve(against)])];
  const places = [['SQLite', undefined], ...(postgres === undefined ? [] : [['PostgreSQL', postgres]])];
  console.log('\n### one call record, in batches of 250, one kilobyte of contents\n');
  for (const [name, databaseUrl] of places) {
    const rows = await measure(checkouts, databaseUrl, rounds);
    const [low, middle, high] = quartiles(rows.map(([mine]) => mine)).map((us) => us.toFixed(2));
    const ratio = showRatio(quartiles(rows.map(([mine, theirs]) => mine / theirs)));
    const compared = against === undefined ? '' : `, of the other checkout's: ${ratio}`;
    console.log(`- ${name}: ${middle} µs of CPU [${low}–${high}]${compared}, in ${rounds} rounds`);
  }
}

async function measure(checkouts, databaseUrl, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-bench-records-'));
  const writers = [];
  try {
    for (const [index, checkout] of checkouts.entries())
      writers.push(await startWriter(checkout, databaseUrl ?? join(folder, String(index))));
    for (const one of writers) await one.write();
    const rows = [];
    for (let round = 0; round < rounds; round++) {
      const sums = writers.map(() => 0);
      // Forward and back, so that neither is always first.
      const order = [...writers.keys(), ...[...writers.keys()].toReversed()];
      for (const index of order) sums[index] += (await writers[index].write()) / 2;
      rows.push(sums);
    }
    return rows;
  } finally {
    for (const one of writers) await one.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function startWriter(checkout, place) {
  const child = fork(writer, [checkout, place], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise((_, reject) =>
    child.once('exit', () => reject(new Error('A writer of records ended.'))),
  );
  gone.catch(() => {});
  return {
    /** Writes about ten thousand records, and returns the microseconds of CPU per record. */
    write() {
      const answer = new Promise((answered) => child.once('message', answered));
      child.send('write');
      return Promise.race([answer, gone]);
    },
    async stop() {
      child.disconnect();
      await gone.catch(() => {});
    },
  };
}
