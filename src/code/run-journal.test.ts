import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../storage/open-store.ts';
import type { CallRecord } from '../domain/call.ts';
import { type ErrorCode, type ErrorDetails, HandrailError } from '../domain/errors.ts';
import type { Store } from '../storage/ports.ts';
import { createScriptJournal, stateOf } from './run-journal.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'handrail-journal-'));
  store = await openStore({ dataDir: folder });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const nobody = `${hostname()} 999999999`;
const head = JSON.stringify({ serverSlug: 'shop', callerId: 'key:1', callerLabel: 'k', surface: 'mcp' });

function recovering(nowMs = 1_000_000) {
  const records: CallRecord[] = [];
  const journal = createScriptJournal({
    store: store.scriptJournal,
    record: async (record) => void records.push(record),
    log: pino({ level: 'silent' }),
    now: () => nowMs,
  });
  return { records, recover: () => journal.recover() };
}

describe('the journal of a script', () => {
  it('tells what is done from what nobody knows once a process is gone', async () => {
    const { scriptJournal } = store;
    const run = { id: 'call_1', head, process: nobody, startedAtMs: 999_000 };
    await scriptJournal.intend(run, { callId: 'call_2', tool: 'tools.shop.make', beganAtMs: 999_100 });
    await scriptJournal.settle('call_2', 'done');
    await scriptJournal.intend(run, { callId: 'call_3', tool: 'tools.shop.pay', beganAtMs: 999_200 });
    const { records, recover } = recovering();
    await recover();
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ id: 'call_1', serverSlug: 'shop', outcome: 'script_interrupted' });
    expect(records[0]!.message).toContain('Outcome unknown: tools.shop.pay.');
    expect(records[0]!.steps.map(({ name, note }) => [name, note])).toEqual([
      ['tools.shop.make', 'done'],
      ['tools.shop.pay', 'unknown'],
    ]);
    await recover();
    expect(records).toHaveLength(1);
  });

  it('leaves runs alone that are under way elsewhere, until they cannot be', async () => {
    for (const process of [`${hostname()} ${globalThis.process.ppid}`, 'another-machine 1'])
      await store.scriptJournal.intend(
        { id: `call_${process}`, head, process, startedAtMs: 999_000 },
        { callId: `call_of_${process}`, tool: 'tools.shop.make', beganAtMs: 999_100 },
      );
    const soon = recovering();
    await soon.recover();
    expect(soon.records).toEqual([]);
    const later = recovering(999_000 + 3_600_000);
    await later.recover();
    expect(later.records).toHaveLength(2);
  });

  it('forgets what has ended after a while', async () => {
    const run = { id: 'call_1', head, process: nobody, startedAtMs: 5 };
    await store.scriptJournal.intend(run, { callId: 'call_2', tool: 'tools.shop.make', beganAtMs: 6 });
    await store.scriptJournal.removeBefore(10);
    expect(await store.scriptJournal.effectsOf('call_1')).toHaveLength(1);
    await store.scriptJournal.end('call_1', 7);
    await store.scriptJournal.removeBefore(10);
    expect(await store.scriptJournal.effectsOf('call_1')).toEqual([]);
  });

  it.each<[ErrorCode, ErrorDetails, string]>([
    ['upstream_status', {}, 'failed'],
    ['upstream_timeout', {}, 'unknown'],
    ['upstream_unreachable', {}, 'unknown'],
    ['upstream_unreachable', { notSent: true }, 'not begun'],
    ['cancelled', {}, 'unknown'],
    ['cancelled', { notSent: true }, 'not begun'],
    ['reply_too_large', {}, 'unknown'],
    ['invalid_arguments', {}, 'not begun'],
    ['rate_limited', {}, 'not begun'],
    ['credential_missing', {}, 'not begun'],
  ])('knows of %s %j that it is %s', (code, details, state) => {
    expect(stateOf({ kind: 'failed', error: new HandrailError(code, 'No.', details) })).toBe(state);
  });
});
