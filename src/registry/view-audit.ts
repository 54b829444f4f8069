import type { AuditEntry } from '../domain/audit.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { jsonValue, record, text } from '../lib/schema/schema.ts';

/** A line of the audit log as the admin API and those it is sent to see it. */
export function viewAudit(entry: AuditEntry) {
  return {
    id: entry.id,
    at: new Date(entry.atMs).toISOString(),
    actor: { id: entry.actorId, name: entry.actorLabel, address: entry.address },
    action: entry.action,
    subject: { kind: entry.subjectKind, id: entry.subjectId, name: entry.subjectLabel },
    before: changedFields(entry.before),
    after: changedFields(entry.after),
  };
}

const fieldsByName = record(text(), jsonValue<unknown>(), { max: 10_000 });

// A damaged log entry is shown without its changed fields.
function changedFields(json: string | null): Record<string, unknown> | null {
  return json === null ? null : readJson(fieldsByName, json);
}
