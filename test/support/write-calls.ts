import type { CallRecord } from '../../src/domain/call.ts';
import type { CallStore } from '../../src/storage/ports.ts';

/** Writes records as one batch. */
export async function writeCalls(calls: CallStore, records: readonly CallRecord[]): Promise<void> {
  const batch = calls.newBatch();
  for (const record of records) batch.add(record);
  await calls.write(batch);
}
