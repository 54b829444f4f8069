import type { CallRecord } from '../../domain/call.ts';
import type { CallBatch } from '../ports.ts';

/** Records as they are, to be written as one parameter. */
export class RecordBatch implements CallBatch {
  readonly #records: CallRecord[] = [];

  get size(): number {
    return this.#records.length;
  }

  add(record: CallRecord): void {
    this.#records.push(record);
  }

  records(): readonly CallRecord[] {
    return this.#records;
  }
}
