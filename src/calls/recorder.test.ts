import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../domain/call.ts';
import type { CallTrace } from '../pipeline/call.ts';
import type { CallStore } from '../storage/ports.ts';
import { RecordBatch } from '../storage/postgres/call-store.ts';
import { apiAt, callOf, toolOf } from '../../test/support/calling.ts';
import { rollupColumns, type RollupRow } from '../storage/roll-up.ts';
import { createRecorder, type Recorder } from './recorder.ts';

function traceOf(args: Record<string, unknown> = {}): CallTrace {
  const tool = toolOf(apiAt('https://api.example.com'), {
    parameters: [{ name: 'secretish', key: 'X-Api-Key', in: 'header', schema: {}, required: false }],
  });
  return {
    call: callOf(tool, { arguments: args }),
    startedAtMs: 1,
    durationMs: 2,
    outcome: {
      kind: 'done',
      output: { content: [{ type: 'text', text: '{"password":"hunter22","n":1}' }], structuredText: null },
      status: 200,
    },
    args: args as unknown as CallTrace['args'],
    request: null,
    reply: null,
    steps: [],
    read: null,
    held: null,
  };
}

function storeThat(
  write: (records: readonly CallRecord[]) => Promise<void>,
): Pick<CallStore, 'newBatch' | 'write'> {
  return { newBatch: () => new RecordBatch(), write: (batch) => write(batch.records()) };
}

/** What a test that is about something else needs. */
const quiet = {
  rollups: { add: async () => {} },
  keepContents: () => true,
  onTrouble: () => undefined,
};

describe('the recorder', () => {
  it('writes in batches, and everything at the end', async () => {
    const batches: number[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void batches.push(records.length)),
      batchSize: 3,
    });
    for (let n = 0; n < 7; n++) recorder.record(traceOf());
    expect(recorder.waiting).toBe(7);
    await recorder.close();
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(7);
    expect(Math.max(...batches)).toBeLessThanOrEqual(3);
    expect(recorder.dropped).toBe(0);
  });

  it('writes full batches one after the other, and only what fills none waits', async () => {
    const batches: number[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void batches.push(records.length)),
      batchSize: 3,
      everyMs: 3_600_000,
    });
    for (let n = 0; n < 10; n++) recorder.record(traceOf());
    await expect.poll(() => batches).toEqual([3, 3, 3]);
    expect(recorder.waiting).toBe(1);
    await recorder.close();
    expect(batches).toEqual([3, 3, 3, 1]);
  });

  it('tries a failed batch again, whole and in order', async () => {
    const written: string[] = [];
    let failures = 2;
    const troubles: unknown[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => {
        if (failures-- > 0) throw new Error('disk');
        written.push(...records.map((record) => record.id));
      }),
      onTrouble: (error) => troubles.push(error),
    });
    const traces = [traceOf(), traceOf(), traceOf()];
    for (const trace of traces) recorder.record(trace);
    await recorder.flush();
    expect(written).toEqual(traces.map((trace) => trace.call.id));
    expect(troubles).toHaveLength(2);
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const nested = (depth: number): unknown => {
    let value: unknown = 1;
    for (let i = 0; i < depth; i++) value = [value];
    return value;
  };
  it.each<[string, Record<string, unknown>]>([
    ['a number that JSON has no form for', { n: 10n }],
    ['a circle', circular],
    ['a nesting without end', { deep: nested(200_000) }],
    [
      'a value that cannot be read',
      {
        get broken() {
          throw new RangeError('no');
        },
      },
    ],
  ])('keeps the record of a call with %s, and says what it lacks', async (_what, args) => {
    const kept: CallRecord[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void kept.push(...records)),
    });
    recorder.record(traceOf(args));
    recorder.record(traceOf({ fine: true }));
    await recorder.close();
    expect([recorder.dropped, kept.map(({ outcome }) => outcome)]).toEqual([0, ['ok', 'ok']]);
    expect(kept[0]!.message).toContain('without its contents');
    expect([kept[0]!.argumentsText, kept[1]!.argumentsText]).toEqual([null, '{"fine":true}']);
  });

  it('counts what it had to drop, and says so', async () => {
    const counts: number[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(() => Promise.reject(new Error('gone'))),
      onTrouble: (_error, dropped) => counts.push(dropped),
      maxWaiting: 2,
    });
    for (let n = 0; n < 5; n++) recorder.record(traceOf());
    expect(recorder.dropped).toBe(3);
    await recorder.close();
    expect(recorder.dropped).toBe(5);
    expect(counts.at(-1)).toBe(5);
  });

  it('says how long the oldest record has been waiting', async () => {
    let isAway = true;
    const calls = storeThat(async () => {
      if (isAway) throw new Error('away');
    });
    const recorder = createRecorder({ ...quiet, calls, batchSize: 1 });
    expect(recorder.oldestWaitingMs).toBe(0);
    recorder.record(traceOf());
    await recorder.flush();
    const first = recorder.oldestWaitingMs;
    expect(first).toBeGreaterThan(0);
    recorder.record(traceOf());
    await recorder.flush();
    expect(recorder.oldestWaitingMs).toBeGreaterThanOrEqual(first);
    isAway = false;
    await recorder.flush();
    expect(recorder.oldestWaitingMs).toBe(0);
    await recorder.close();
  });

  it('keeps trying to write while it closes, and reports what it lost', async () => {
    let failures = 12;
    const kept: CallRecord[] = [];
    const calls = storeThat(async (records) => {
      if (failures-- > 0) throw new Error('restarting');
      kept.push(...records);
    });
    const patient = createRecorder({ ...quiet, calls, everyMs: 1, closeMs: 100_000 });
    patient.record(traceOf());
    expect([await patient.close(), patient.dropped, kept.length]).toEqual([0, 0, 1]);
    failures = 12;
    const hurried = createRecorder({ ...quiet, calls, everyMs: 1 });
    hurried.record(traceOf());
    expect([await hurried.close(), hurried.dropped, kept.length]).toEqual([1, 1, 1]);
  });

  it('counts what it wrote once, however often it tried', async () => {
    const rows: RollupRow[] = [];
    let failures = 2;
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async () => {
        if (failures-- > 0) throw new Error('disk');
      }),
      rollups: { add: async (added) => void rows.push(...added) },
      batchSize: 2,
    });
    for (let n = 0; n < 5; n++) recorder.record(traceOf());
    await recorder.close();
    const calls = rows.filter(([dimension, width]) => dimension === 'all' && width === 'day');
    expect(calls.map((row) => row[rollupColumns.indexOf('calls')])).toEqual([5]);
  });

  it('tells whoever listens of each record once it is written, and nobody who listens no more', async () => {
    const written: string[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void written.push(...records.map((record) => record.id))),
    });
    const heard: string[] = [];
    const stop = recorder.onRecord((record) => {
      expect(written).toContain(record.id);
      heard.push(record.id);
    });
    recorder.record(traceOf());
    await recorder.flush();
    expect(heard).toEqual(written);
    stop();
    recorder.record(traceOf());
    await recorder.close();
    expect([written.length, heard.length]).toEqual([2, 1]);
  });

  it('keeps a call whose contents cannot be read, without them, and those beside it', async () => {
    const written: string[] = [];
    const troubles: unknown[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void written.push(...records.map((record) => record.id))),
      onTrouble: (error) => troubles.push(error),
    });
    const refusing = {
      get value(): never {
        throw new Error('not to be written');
      },
    };
    const traces = [traceOf(), traceOf({ refusing }), traceOf()];
    for (const trace of traces) recorder.record(trace);
    await recorder.flush();
    recorder.record(traces[0]!);
    await recorder.close();
    expect(written).toEqual([0, 1, 2, 0].map((n) => traces[n]!.call.id));
    expect([recorder.dropped, recorder.waiting, troubles.length]).toEqual([0, 0, 0]);
  });

  it('tells the others when one who listens throws, and writes nothing twice', async () => {
    const written: string[] = [];
    const troubles: unknown[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void written.push(...records.map((record) => record.id))),
      onTrouble: (error) => troubles.push(error),
    });
    const heard: string[] = [];
    recorder.onRecord(() => {
      throw new Error('listener');
    });
    recorder.onRecord((record) => heard.push(record.id));
    recorder.record(traceOf());
    recorder.record(traceOf());
    await recorder.close();
    expect(heard).toEqual(written);
    expect(heard).toHaveLength(2);
    expect(troubles).toContainEqual(new Error('listener'));
  });

  it('flushes what waits, not what comes meanwhile', async () => {
    let underLoad = true;
    const recorder: Recorder = createRecorder({
      ...quiet,
      // Each write takes a turn, and each turn brings another call.
      calls: storeThat(async () => {
        if (underLoad) recorder.record(traceOf());
        await nextTurn();
        await nextTurn();
      }),
      batchSize: 2,
    });
    for (let n = 0; n < 5; n++) recorder.record(traceOf());
    await recorder.flush();
    expect(recorder.waiting).toBeGreaterThan(0);
    underLoad = false;
    await recorder.close();
    expect([recorder.waiting, recorder.dropped]).toEqual([0, 0]);
  });

  it('waits at the end for sums that are being written', async () => {
    let begin!: () => void;
    const began = new Promise<void>((resolve) => (begin = resolve));
    let finish!: () => void;
    const steps: string[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async () => {}),
      rollups: {
        add: async () => {
          begin();
          await new Promise<void>((resolve) => (finish = resolve));
          steps.push('written');
        },
      },
    });
    recorder.record(traceOf());
    const flushed = recorder.flush();
    await began;
    const closed = recorder.close().then(() => steps.push('closed'));
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    finish();
    await Promise.all([closed, flushed]);
    expect(steps).toEqual(['written', 'closed']);
  });

  it('lets a flush end that is under way when it stops without the store', async () => {
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async () => {
        await nextTurn();
        throw new Error('gone');
      }),
    });
    recorder.record(traceOf());
    const closed = recorder.close();
    await nextTurn();
    await Promise.all([closed, recorder.flush(), recorder.flush()]);
    expect([recorder.dropped, recorder.waiting]).toEqual([1, 0]);
  });

  it('counts what comes after its end as dropped, and touches the store no more', async () => {
    let writes = 0;
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async () => void writes++),
      everyMs: 0,
    });
    recorder.record(traceOf());
    await recorder.close();
    recorder.record(traceOf());
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    await recorder.flush();
    expect([writes, recorder.dropped, recorder.waiting]).toEqual([1, 1, 0]);
  });

  it('masks secrets by name in arguments and replies, also where only the header is telling', async () => {
    const written: CallRecord[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void written.push(...records)),
    });
    recorder.record(
      traceOf({ secretish: 'abc123456', token: 't0ken-value', keyboard: 'qwerty', author: 'Ann' }),
    );
    await recorder.close();
    const [record] = written;
    expect(record!.argumentsText).not.toMatch(/abc123456|t0ken-value/);
    expect(record!.argumentsText).toContain('qwerty');
    expect(record!.argumentsText).toContain('Ann');
    expect(record!.replyText).not.toContain('hunter22');
  });

  it('keeps no contents when they are not wanted', async () => {
    const written: CallRecord[] = [];
    const recorder = createRecorder({
      ...quiet,
      calls: storeThat(async (records) => void written.push(...records)),
      keepContents: () => false,
    });
    recorder.record(traceOf({ a: 1 }));
    await recorder.close();
    expect(written[0]).toMatchObject({ argumentsText: null, replyText: null });
  });
});
