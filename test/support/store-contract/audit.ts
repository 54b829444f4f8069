import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import { verifyAudit } from '../../../src/storage/verify-audit.ts';
import type { AuditFilter } from '../../../src/storage/ports.ts';

import { api, put } from './entities.ts';
import type { StorePlace } from './place.ts';

/** The promises of the audit log. */
export function describeAudit({ name, openEmpty }: StorePlace): void {
  describe(`the audit log on ${name}`, () => {
    const entry = (number: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
      id: `audit_${String(number).padStart(26, '0')}`,
      atMs: number,
      actorId: 'admin_1',
      actorLabel: 'Ada \ud800',
      address: null,
      action: 'tool.update',
      subjectKind: 'tool',
      subjectId: 'tool_1',
      subjectLabel: null,
      before: '{"name":"a"}',
      after: null,
      ...changes,
    });

    test('is written with the change it tells about, or not at all', async () => {
      const store = await openEmpty();
      expect(await store.registry.commit(0, [put.api(api('api_1'))], [entry(1)])).toBe(1);
      expect(await store.registry.commit(0, [put.api(api('api_2'))], [entry(2)])).toBeNull();
      await expect(
        store.registry.commit(1, [put.api(api('api_3', 'api-1'))], [entry(3)]),
      ).rejects.toMatchObject({ code: 'conflict' });
      const { entries } = await store.audit.find({}, 10);
      expect(entries).toEqual([{ ...entry(1), actorLabel: 'Ada \ufffd' }]);
    });

    test('loses its oldest lines when they are purged, at most as many as asked', async () => {
      const store = await openEmpty();
      await store.audit.add([1, 2, 3, 4, 5].map((n) => entry(n)));
      expect(await store.audit.purge(5, 3)).toBe(3);
      expect(await store.audit.purge(5, 3)).toBe(1);
      expect(await store.audit.purge(5, 3)).toBe(0);
      const { entries } = await store.audit.find({}, 10);
      expect(entries.map(({ atMs }) => atMs)).toEqual([5]);
    });

    test('is one chain, also when several write at once, and stays one when its oldest lines are purged', async () => {
      const store = await openEmpty();
      await Promise.all(
        [0, 1, 2, 3].map((n) => store.audit.add([entry(2 * n + 1), entry(2 * n + 2, { before: null })])),
      );
      const { last } = await store.audit.chain();
      expect(last.seq).toBe(8);
      expect(await verifyAudit(store.audit)).toEqual({ lines: 8, last, removedUpTo: 0, faults: [] });
      const noted = (await store.audit.linesAfter(2, 1))[0]!;
      // Lines that someone has yet to receive are kept. Which lines came first is up to the store.
      expect(await store.audit.purge(Number.MAX_SAFE_INTEGER, 100, 3)).toBe(3);
      expect(await verifyAudit(store.audit, noted)).toMatchObject({ lines: 5, removedUpTo: 3, faults: [] });
      expect(await store.audit.purge(Number.MAX_SAFE_INTEGER, 100)).toBe(5);
      await store.audit.add([entry(9)]);
      expect(await verifyAudit(store.audit, last)).toMatchObject({ lines: 1, removedUpTo: 8, faults: [] });
    });

    test('shows a chain that is not the one that was noted, or that ends before it', async () => {
      const store = await openEmpty();
      await store.audit.add([1, 2, 3].map((n) => entry(n)));
      const kinds = async (seq: number) =>
        (await verifyAudit(store.audit, { seq, hash: 'f'.repeat(64) })).faults.map(({ kind }) => kind);
      expect(await kinds(2)).toEqual(['expected']);
      expect(await kinds(4)).toEqual(['expected']);
    });

    test('is read newest first, page by page, by actor, action, subject and time', async () => {
      const store = await openEmpty();
      await store.audit.add([1, 2, 3, 4, 5].map((n) => entry(n, { actorId: n % 2 ? 'odd' : 'even' })));
      const first = await store.audit.find({}, 2);
      expect(first.entries.map((each) => each.atMs)).toEqual([5, 4]);
      const second = await store.audit.find({}, 3, first.nextCursor!);
      expect(second.entries.map((each) => each.atMs)).toEqual([3, 2, 1]);
      expect(second.nextCursor).toBeNull();
      const times = async (filter: AuditFilter) =>
        (await store.audit.find(filter, 10)).entries.map((each) => each.atMs);
      expect(await times({ actorId: 'odd', fromMs: 2, toMs: 5 })).toEqual([3]);
      expect(await times({ action: 'tool.delete' })).toEqual([]);
      expect(await times({ subjectKind: 'tool', subjectId: 'tool_1', toMs: 2 })).toEqual([1]);
    });

    test('is searched by words, which are taken as they stand', async () => {
      const store = await openEmpty();
      await store.audit.add([
        entry(1, { actorLabel: 'Ada', after: '{"name":"100%_sure"}' }),
        entry(2, { actorLabel: 'Bob', subjectLabel: 'Weather in Berlin', after: '{"name":"100 is sure"}' }),
      ]);
      const times = async (search: string) =>
        (await store.audit.find({ search }, 10)).entries.map((each) => each.atMs);
      expect(await times('berlin bob')).toEqual([2]);
      expect(await times('100%_')).toEqual([1]);
      expect(await times('TOOL.update')).toEqual([2, 1]);
      expect(await times('ada berlin')).toEqual([]);
    });

    test('names everybody who stands in it, as they were called last', async () => {
      const store = await openEmpty();
      await store.audit.add([
        entry(1, { actorLabel: 'Ada' }),
        entry(2, { actorId: 'token', actorLabel: 'admin token' }),
        entry(3, { actorLabel: 'Countess' }),
      ]);
      expect((await store.audit.actors()).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: 'admin_1', label: 'Countess' },
        { id: 'token', label: 'admin token' },
      ]);
    });
  });
}
