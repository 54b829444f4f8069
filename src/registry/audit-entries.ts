import type { Actor, AuditEntry } from '../domain/audit.ts';
import { newId } from '../domain/ids.ts';
import { isSecretName, mask, maskNamedSecrets, maskQuery } from '../lib/secrets/mask-secrets.ts';
import { sameJson } from '../lib/json/same-json.ts';
import { isGone } from '../domain/tool.ts';
import type { EntityKind, RegistryEntities } from '../domain/stored/read-stored.ts';
import type { RegistryChange } from '../storage/ports.ts';
import { shownFields } from './audit-fields.ts';
import type { Snapshot } from './snapshot.ts';
import { arrayOr, objectOr, wordOf } from '../lib/json/plain-object.ts';

// An import of a thousand tools is one action of a person, not a thousand.
const maxOfOneKind = 50;
const maxNames = 500;
const maxFieldLength = 16_000;

type EntityChange = Exclude<RegistryChange, { readonly kind: 'given-name' }>;
type Fields = Readonly<Record<string, unknown>>;

interface AuditedChange {
  readonly kind: EntityKind;
  /** Null if the entry is about many. */
  readonly id: string | null;
  readonly label: string;
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/**
 * The audit log entries for a commit: who changed what, with the changed fields before and after, and secrets
 * masked.
 */
export function auditEntriesOf(
  before: Snapshot,
  changes: readonly RegistryChange[],
  actor: Actor,
  nowMs: number,
  isImport = false,
): AuditEntry[] {
  const groups = groupsOf(before, changes);
  const ofImport = isImport ? [...groups].filter(([, [first]]) => isDescribed(first!)) : [];
  for (const [action] of ofImport) groups.delete(action);
  const entries = [...groups].flatMap(([action, group]) => {
    const lines =
      group.length > maxOfOneKind
        ? [summary(before, group)]
        : group.map((change) => describe(before, change));
    return lines.map((line) => entryOf(action, line, actor, nowMs));
  });
  return ofImport.length === 0
    ? entries
    : [entryOf('api.import', importOf(before, ofImport), actor, nowMs), ...entries];
}

/** The changes, grouped by action and kind. */
function groupsOf(before: Snapshot, changes: readonly RegistryChange[]): Map<string, EntityChange[]> {
  const groups = new Map<string, EntityChange[]>();
  for (const change of changes) {
    // Assigned names follow from other changes; no one chooses them.
    if (change.kind === 'given-name') continue;
    const key = `${change.kind}.${actionOf(before, change)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return groups;
}

/**
 * Whether a change is part of an imported description; a server, key or secret in the same commit gets its own
 * entry.
 */
function isDescribed({ kind }: EntityChange): boolean {
  return kind === 'api' || kind === 'tool';
}

/** Creates one audit log entry, dated now. */
export function auditEntry(
  actor: Actor,
  nowMs: number,
  action: string,
  subject: { readonly kind: string; readonly id?: string; readonly label?: string },
): AuditEntry {
  return {
    id: newId('audit', nowMs),
    atMs: nowMs,
    actorId: actor.id,
    actorLabel: actor.label,
    address: actor.address ?? null,
    action,
    subjectKind: subject.kind,
    subjectId: subject.id ?? null,
    subjectLabel: subject.label ?? null,
    before: null,
    after: null,
  };
}

function entryOf(action: string, line: AuditedChange, actor: Actor, nowMs: number): AuditEntry {
  return {
    ...auditEntry(actor, nowMs, action, { kind: line.kind, label: line.label }),
    subjectId: line.id,
    before: line.before && JSON.stringify(line.before),
    after: line.after && JSON.stringify(line.after),
  };
}

/**
 * One entry for an import: what was added, changed and removed, by name, with the changed fields unless there
 * are too many.
 */
function importOf(
  snapshot: Snapshot,
  groups: readonly (readonly [action: string, group: readonly EntityChange[]])[],
): AuditedChange {
  const changes = groups.flatMap(([, group]) => group);
  const slugs = new Map<string, string>();
  for (const change of changes)
    if (change.kind === 'api' && change.op === 'put') slugs.set(change.entity.id, change.entity.slug);
  const apis = [...new Set(changes.map((change) => apiOf(snapshot, change)))].filter(
    (id) => id !== undefined,
  );
  const counts = groups.map(([action, group]) => {
    const { after, before } = summary(snapshot, group);
    const changed =
      action.endsWith('.update') && group.length <= maxOfOneKind
        ? group.map((change) => {
            const line = describe(snapshot, change);
            return { name: line.label, before: line.before, after: line.after };
          })
        : undefined;
    return [action, { ...(after ?? before), ...(changed && { changed }) }] as const;
  });
  return {
    kind: 'api',
    id: apis.length === 1 ? apis[0]! : null,
    label: apis
      .slice(0, maxNames)
      .map((id) => slugs.get(id) ?? snapshot.apis.get(id)?.slug ?? id)
      .join(', '),
    before: null,
    after: Object.fromEntries(counts),
  };
}

/** The API that an import's change belongs to. */
function apiOf(snapshot: Snapshot, change: EntityChange): string | undefined {
  if (change.kind === 'api') return idOf(change);
  if (change.kind !== 'tool') return undefined;
  return (change.op === 'put' ? change.entity : snapshot.tools.get(change.id))?.apiId;
}

function summary(snapshot: Snapshot, group: readonly EntityChange[]): AuditedChange {
  const { kind } = group[0]!;
  const isDeletion = actionOf(snapshot, group[0]!) === 'delete';
  const names = group.slice(0, maxNames).map((change) => {
    const old = entityOf(snapshot, change.kind, idOf(change));
    return labelOf((change.op === 'put' ? change.entity : old) ?? { id: idOf(change) });
  });
  const fields = { count: group.length, names };
  return {
    kind,
    id: null,
    label: `${group.length} of kind ${kind}`,
    before: isDeletion ? fields : null,
    after: isDeletion ? null : fields,
  };
}

function actionOf(snapshot: Snapshot, change: EntityChange): 'create' | 'update' | 'delete' {
  if (change.op === 'delete' || isForgetting(change)) return 'delete';
  return entityOf(snapshot, change.kind, change.entity.id) === undefined ? 'create' : 'update';
}

// A tool that its document dropped is kept, but to a reader of the log it is gone.
function isForgetting(change: EntityChange): boolean {
  return change.op === 'put' && change.kind === 'tool' && isGone(change.entity);
}

function idOf(change: EntityChange): string {
  return change.op === 'put' ? change.entity.id : change.id;
}

function describe(snapshot: Snapshot, change: EntityChange): AuditedChange {
  const id = idOf(change);
  const old = entityOf(snapshot, change.kind, id);
  const oldFields = old === undefined ? null : shown(change.kind, old);
  const newFields = change.op === 'put' && !isForgetting(change) ? shown(change.kind, change.entity) : null;
  const label = labelOf((change.op === 'put' ? change.entity : old) ?? { id });
  return { kind: change.kind, id, label, ...differing(oldFields, newFields) };
}

/** What differs; all of it where there is only one. */
function differing(
  before: Fields | null,
  after: Fields | null,
): { readonly before: Fields | null; readonly after: Fields | null } {
  if (before === null || after === null) return { before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameJson(before[name], after[name]),
  );
  return { before: pick(before, names), after: pick(after, names) };
}

/** The audit log entry for a change of something outside the registry, with these of its fields. */
export function auditChange(
  actor: Actor,
  nowMs: number,
  action: string,
  subject: { readonly kind: string; readonly id: string; readonly label: string },
  {
    fields,
    before,
    after,
  }: { readonly fields: readonly string[]; readonly before: object | null; readonly after: object | null },
): AuditEntry {
  const changed = differing(before && shownOf(fields, before), after && shownOf(fields, after));
  return {
    ...auditEntry(actor, nowMs, action, subject),
    before: changed.before && JSON.stringify(changed.before),
    after: changed.after && JSON.stringify(changed.after),
  };
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
}

function entityOf(
  snapshot: Snapshot,
  kind: EntityKind,
  id: string,
): RegistryEntities[EntityKind] | undefined {
  switch (kind) {
    case 'api':
      return snapshot.apis.get(id);
    case 'tool':
      return snapshot.tools.get(id);
    case 'server':
      return snapshot.servers.get(id);
    case 'composed-tool':
      return snapshot.composedTools.get(id);
    case 'credential':
      return snapshot.credentials.get(id);
    case 'key':
      return snapshot.keys.get(id);
    case 'model':
      return snapshot.models.get(id);
    case 'check':
      return snapshot.checks.get(id);
    case 'identity-provider':
      return snapshot.identityProviders.get(id);
    case 'api-token':
      return snapshot.apiTokens.get(id);
    case 'setting': {
      const value = snapshot.settings.get(id);
      return value === undefined ? undefined : { id, value };
    }
  }
}

function labelOf(entity: { readonly id: string; readonly slug?: string; readonly name?: string }): string {
  return entity.slug ?? entity.name ?? entity.id;
}

/** Logged as changed, never with their values. */
const hidden = new Set(['hash', 'sealed', 'passwordHash']);

/** These fields of something as the audit log shows them. */
function shownOf(names: readonly string[], entity: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const values: Fields = { ...entity };
  for (const name of names) {
    const value = values[name];
    if (value === undefined) continue;
    if (hidden.has(name)) fields[name] = typeof value === 'string' ? fingerprint(value) : mask;
    else fields[name] = bounded(maskField(name, value));
  }
  return fields;
}

/** An entity as the audit log shows it. */
function shown(kind: EntityKind, entity: RegistryEntities[EntityKind]): Fields {
  const fields = shownOf(shownFields[kind], entity);
  const values: Fields = { ...entity };
  const { standing } = objectOr(values['source']);
  if (kind === 'tool' && standing !== undefined) fields['standing'] = standing;
  if (kind === 'setting' && isSecretName(entity.id)) fields['value'] = mask;
  return fields;
}

function maskField(name: string, value: unknown): unknown {
  switch (name) {
    case 'headers':
      return maskNamedSecrets(value);
    case 'baseUrl':
      return typeof value === 'string' ? maskQuery(value) : value;
    case 'invitation':
      return { expiresAtMs: objectOr(value)['expiresAtMs'] };
    case 'policy':
      return maskPolicy(objectOr(value));
    case 'operation':
      return { ...objectOr(value), parameters: arrayOr(objectOr(value)['parameters']).map(maskFixed) };
    default:
      return value;
  }
}

function maskPolicy(policy: Fields): Fields {
  const { sealed, ...visible } = objectOr(policy['introspection']);
  if (typeof sealed !== 'string') return policy;
  return { ...policy, introspection: { ...visible, sealed: fingerprint(sealed) } };
}

function maskFixed(parameter: unknown): unknown {
  const { name, key = name, fixed } = objectOr(parameter);
  return fixed !== undefined && isSecretName(wordOf(key))
    ? { ...objectOr(parameter), fixed: mask }
    : parameter;
}

// Only shows that the value changed: a few characters of a hash of random or slow-hashed material reveal
// nothing.
function fingerprint(hash: string): string {
  return `${mask} …${hash.slice(-4)}`;
}

function bounded(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text !== undefined && text.length > maxFieldLength ? `(${text.length} characters)` : value;
}
