// Fills a store's call records and their roll-ups. Indexes are dropped while it fills and built once at the
// end. Its progress is stored next to the records, so that a run that was stopped can resume.
import { rollupRows } from './sums.js';

const rowsPerPiece = 200_000;
const rollupsPerPiece = 5_000;
const seconds = (sinceMs) => ((performance.now() - sinceMs) / 1_000).toFixed(0);

/** Fills up to `wanted` records. Returns the time when the newest of them ends. */
export async function fillCalls(database, store, wanted, say) {
  const { run, query } = database;
  await run(
    'create table if not exists filling (to_ms bigint, wanted bigint, done bigint, summed integer, indexes text)',
  );
  let [state] = await query('select * from filling');
  if (state === undefined) {
    const indexes = await database.indexes();
    const text = JSON.stringify(indexes).replaceAll("'", "''");
    await run(`insert into filling values (${Date.now()}, ${wanted}, 0, 0, '${text}')`);
    for (const { name } of indexes) await run(`drop index ${name}`);
    [state] = await query('select * from filling');
  }
  if (Number(state.wanted) !== wanted) {
    throw new Error(`This store is for ${state.wanted} records; give that number, or another folder.`);
  }
  const toMs = Number(state.to_ms);
  await fillRecords(database, { done: Number(state.done), wanted, toMs }, say);
  const there = new Set((await database.indexes()).map(({ name }) => name));
  const indexesFrom = performance.now();
  for (const { name, definition } of JSON.parse(state.indexes)) {
    if (!there.has(name)) await run(definition);
  }
  say(`indexes built in ${seconds(indexesFrom)} s`);
  if (Number(state.summed) === 0) {
    await run('delete from call_rollups');
    await fillRollups(store, wanted, toMs, say);
    await run('update filling set summed = 1');
  }
  await database.settle();
  await checkSums(database, wanted);
  return toMs;
}

async function fillRecords({ run, addCalls }, { done: alreadyDone, wanted, toMs }, say) {
  const startedAt = performance.now();
  for (let done = alreadyDone; done < wanted;) {
    const last = Math.min(done + rowsPerPiece, wanted) - 1;
    await addCalls({ first: done, last, wanted, toMs });
    done = last + 1;
    await run(`update filling set done = ${done}`);
    if (done % 1_000_000 !== 0 && done !== wanted) continue;
    const perSecond = (done - alreadyDone) / ((performance.now() - startedAt) / 1_000);
    say(`${done.toLocaleString('en')} records, ${Math.round(perSecond).toLocaleString('en')} a second`);
  }
}

/** Writes roll-ups as the recorder does, and reports their cost. */
async function fillRollups(store, wanted, toMs, say) {
  let rows = 0;
  let writingMs = 0;
  const write = async (piece) => {
    const startedAt = performance.now();
    await store.rollups.add(piece);
    writingMs += performance.now() - startedAt;
    rows += piece.length;
  };
  let piece = [];
  for (const row of rollupRows(wanted, toMs)) {
    piece.push(row);
    if (piece.length < rollupsPerPiece) continue;
    await write(piece);
    piece = [];
  }
  await write(piece);
  say(
    `roll-ups: ${rows.toLocaleString('en')} rows written in ${(writingMs / 1_000).toFixed(0)} s, ` +
      `${((writingMs * 1_000) / rows).toFixed(1)} µs each`,
  );
}

/** The records and the roll-ups must add up to the same. */
async function checkSums({ query, failures }, wanted) {
  const [{ failed }] = await failures();
  const [sums] = await query(
    `select sum(calls) as calls, sum(errors) as errors from call_rollups where dimension = 'all' and width = 'day'`,
  );
  if (Number(sums.calls) !== wanted || Number(sums.errors) !== Number(failed)) {
    throw new Error(
      `The roll-ups say ${sums.calls} calls and ${sums.errors} errors, the records ${failed} errors.`,
    );
  }
}
