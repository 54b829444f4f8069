import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../domain/call.ts';
import { newId } from '../domain/ids.ts';
import type { CallTrace } from '../pipeline/types.ts';
import type { CallStore } from '../storage/ports.ts';
import { RecordBatch } from '../storage/postgres/call-batch.ts';
import { apiAt, toolOf } from '../../test/support/calling.ts';
import { rollupColumns, type RollupRow } from '../storage/roll-up.ts';
import { createRecorder } from './recorder.ts';

function traceOf(args: Record<string, unknown> = {}): CallTrace {
  const tool = toolOf(apiAt('https://api.example.com'), {
    parameters: [{ name: 'secretish', key: 'X-Api-Key', in: 'header', schema: {}, required: false }],
  });
  return {
    call: {
      id: newId('call'),
      tool,
      toolName: 'one',
      server: { slug: 'default' } as CallTrace['call']['server'],
      caller: { id: 'anonymous', kind: 'anonymous', label: 'anonymous' },
      client: null,
      surface: 'rest',
      arguments: args,
      signal: new AbortController().signal,
    },
    startedAtMs: 1,
    durationMs: 2,
    outcome: {
      ok: true,
      output: { content: [{ type: 'text', text: '{"password":"hunter22","n":1}' }], structuredText: null },
      status: 200,
    },
    args: args as unknown as CallTrace['args'],
    request: null,
    reply: null,
    steps: [],
    trace: null,
  };
}

function storeThat(
  write: (records: readonly CallRecord[]) => Promise<void>,
): Pick<CallStore, 'newBatch' | 'write'> {
  return { newBatch: () => new RecordBatch(), write: (batch) => write(batch.records()) };
}

describe('the recorder', () => {
  it('writes in batches, and everything at the end', async () => {
    const batches: number[] = [];
    const recorder = createRecorder({
      calls: storeThat(async (records) => void batches.push(records.length)),
      rollups: { add: async () => {} },
      keepContents: () => true,
      onTrouble: () => undefined,
      batchSize: 3,
    });
    for (let n = 0; n < 7; n++) recorder.record(traceOf());
    expect(recorder.waiting).toBe(7);
    await recorder.close();
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(7);
    expect(Math.max(...batches)).toBeLessThanOrEqual(3);
    expect(recorder.dropped).toBe(0);
  });

  it('tries a failed batch again, whole and in order', async () => {
    const written: string[] = [];
    let failures = 2;
    const troubles: unknown[] = [];
    const recorder = createRecorder({
      calls: storeThat(async (records) => {
        if (failures-- > 0) throw new Error('disk');
        written.push(...records.map((record) => record.id));
      }),
      rollups: { add: async () => {} },
      keepContents: () => true,
      onTrouble: (error) => troubles.push(error),
    });
    const traces = [traceOf(), traceOf(), traceOf()];
    for (const trace of traces) recorder.record(trace);
    await recorder.flush();
    expect(written).toEqual(traces.map((trace) => trace.call.id));
    expect(troubles).toHaveLength(2);
  });

  it('counts what it had to drop, and says so', async () => {
    const counts: number[] = [];
    const recorder = createRecorder({
      calls: storeThat(() => Promise.reject(new Error('gone'))),
      rollups: { add: async () => {} },
      keepContents: () => true,
      onTrouble: (_error, dropped) => counts.push(dropped),
      maxWaiting: 2,
    });
    for (let n = 0; n < 5; n++) recorder.record(traceOf());
    expect(recorder.dropped).toBe(3);
    await recorder.close();
    expect(recorder.dropped).toBe(5);
    expect(counts.at(-1)).toBe(5);
  });

  it('counts what it wrote once, however often it tried', async () => {
    const rows: RollupRow[] = [];
    let failures = 2;
    const recorder = createRecorder({
      calls: storeThat(async () => {
        if (failures-- > 0) throw new Error('disk');
      }),
      rollups: { add: async (added) => void rows.push(...added) },
      keepContents: () => true,
      onTrouble: () => undefined,
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
      calls: storeThat(async (records) => void written.push(...records.map((record) => record.id))),
      rollups: { add: async () => {} },
      keepContents: () => true,
      onTrouble: () => undefined,
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

  it('masks secrets by name in arguments and replies, also where only the header is telling', async () => {
    const written: CallRecord[] = [];
    const recorder = createRecorder({
      calls: storeThat(async (records) => void written.push(...records)),
      rollups: { add: async () => {} },
      keepContents: () => true,
      onTrouble: () => undefined,
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
      calls: storeThat(async (records) => void written.push(...records)),
      rollups: { add: async () => {} },
      keepContents: () => false,
      onTrouble: () => undefined,
    });
    recorder.record(traceOf({ a: 1 }));
    await recorder.close();
    expect(written[0]).toMatchObject({ argumentsText: null, replyText: null });
  });
});
