import type { AuditFilter } from '../../../storage/ports.ts';
import { auditRoutes } from '../../contract/audit.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { viewAudit } from '../../../registry/view-audit.ts';
import { verifyAudit } from '../../../storage/verify-audit.ts';

/** Reading the audit log. */
export function bindAudit({ store }: AppContext): BoundRoute[] {
  let verifying: Promise<unknown> = Promise.resolve();
  return [
    bind(auditRoutes.list, async ({ query }) => {
      const filter: AuditFilter = {
        ...(query.actor !== undefined && { actorId: query.actor }),
        ...(query.action !== undefined && { action: query.action }),
        ...(query.kind !== undefined && { subjectKind: query.kind }),
        ...(query.subject !== undefined && { subjectId: query.subject }),
        ...(query.from !== undefined && { fromMs: Date.parse(query.from) }),
        ...(query.to !== undefined && { toMs: Date.parse(query.to) }),
        ...(query.search !== undefined && { search: query.search }),
      };
      const page = await store.audit.find(filter, query.limit, query.cursor);
      return { items: page.entries.map(viewAudit), nextCursor: page.nextCursor };
    }),
    bind(auditRoutes.verify, async ({ query: { seq, hash } }) => {
      const expected = seq === undefined || hash === undefined ? undefined : { seq, hash };
      // Reads the whole log: one at a time.
      const verified = verifying.then(() => verifyAudit(store.audit, expected));
      verifying = verified.catch(() => {});
      const { last, faults, lines, removedUpTo } = await verified;
      return { ok: faults.length === 0, lines, removedUpTo, last: { ...last }, faults: [...faults] };
    }),
    bind(auditRoutes.actors, async () => ({
      items: (await store.audit.actors()).map(({ id, label }) => ({ id, name: label })),
    })),
  ];
}
