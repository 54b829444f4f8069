import type { z } from 'zod';
import type { AccessKey } from '../../domain/access-key.ts';
import type { Admin } from '../../domain/admin.ts';
import type { Api, ApiSource } from '../../domain/api.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { CallRecord } from '../../domain/call.ts';
import type { Credential } from '../../domain/credential.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Server, ToolSelector } from '../../domain/server.ts';
import { inputSchemaOf, type Tool } from '../../domain/tool.ts';
import type { SourceCheck } from '../../import/sources/source-checks.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { jsonValue, record, text } from '../../lib/schema/schema.ts';
import { isSecretName, mask } from '../../lib/secrets/mask-secrets.ts';
import { relaxOutputSchema } from '../../pipeline/reply/output-schema.ts';
import { membersOf } from '../../registry/build-snapshot.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { Health } from '../../upstream/health.ts';
import type { adminResource } from '../contract/admins.ts';
import type { auditResource } from '../contract/audit.ts';
import type { apiResource } from '../contract/apis.ts';
import type { callResource } from '../contract/calls.ts';
import type { credentialResource } from '../contract/credentials.ts';
import type { keyResource } from '../contract/keys.ts';
import type { serverResource } from '../contract/servers.ts';
import type { toolResource } from '../contract/tools.ts';

/** Epoch milliseconds as RFC 3339. */
export const time = (ms: number): string => new Date(ms).toISOString();

function versionOf(row: { id: string; revision: number; createdAtMs: number; updatedAtMs: number }) {
  return {
    id: row.id,
    revision: row.revision,
    createdAt: time(row.createdAtMs),
    updatedAt: time(row.updatedAtMs),
  };
}

export function viewApi(
  snapshot: Snapshot,
  api: Api,
  health: Health,
  look: SourceCheck | null = null,
): z.input<typeof apiResource> {
  const { createdAtMs: _created, updatedAtMs: _updated, source, headers, ...rest } = api;
  const toolIds = [...(snapshot.toolsByApi.get(api.id)?.values() ?? [])];
  return {
    ...(rest as unknown as z.input<typeof apiResource>),
    ...versionOf(api),
    headers: maskByName(headers),
    builtIn: api.builtIn ?? false,
    healthy: health.isHealthy(api.id),
    ...(source && { source: viewSource(source, look) }),
    toolCount: toolIds.length,
    pendingCount: toolIds.filter((id) => snapshot.tools.get(id)?.source?.pending !== undefined).length,
    hasCredential: [...snapshot.credentials.values()].some((credential) => credential.apiId === api.id),
  };
}

/** Values under a secret's name are not shown. */
function maskByName(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecretName(name) ? mask : value]),
  );
}

/** A credential without its values. */
export function viewCredential(
  snapshot: Snapshot,
  credential: Credential,
): z.input<typeof credentialResource> {
  const {
    createdAtMs: _created,
    updatedAtMs: _updated,
    sealed: _sealed,
    fields,
    origins,
    ...rest
  } = credential;
  return {
    ...rest,
    ...versionOf(credential),
    api: snapshot.apis.get(credential.apiId)?.slug ?? '',
    fields: [...fields],
    origins: [...origins],
  };
}

function viewSource(
  { kind, url, documentHash, importedAtMs, watchEveryMs, approveChanges, rules }: ApiSource,
  look: SourceCheck | null,
): z.input<typeof apiResource>['source'] {
  return {
    kind,
    ...(url !== undefined && { url }),
    documentHash,
    importedAt: time(importedAtMs),
    ...(watchEveryMs !== undefined && { watchEveryMs }),
    ...(approveChanges !== undefined && { approveChanges }),
    ...(rules && { rules: { ...rules, ...(rules.fix && { fix: maskByName(rules.fix) }) } }),
    ...(look && { lastLook: viewLook(look) }),
  };
}

function viewLook({ atMs, ...look }: SourceCheck) {
  return { at: time(atMs), ...look };
}

export function viewTool(snapshot: Snapshot, tool: Tool): z.input<typeof toolResource> {
  const { createdAtMs: _created, updatedAtMs: _updated, source, ...rest } = tool;
  return {
    ...(rest as unknown as z.input<typeof toolResource>),
    ...versionOf(tool),
    operation: viewOperation(tool.operation) as z.input<typeof toolResource>['operation'],
    api: snapshot.apis.get(tool.apiId)?.slug ?? '',
    inputSchema: inputSchemaOf(tool.operation),
    outputSchema: relaxOutputSchema(tool.operation.replySchema),
    ...(source && { operationKey: source.operationKey }),
    pendingChange: source?.pending !== undefined,
  };
}

// A fixed value under a secret's name is a secret that an operator keeps in the tool.
function viewOperation(operation: Operation): Operation {
  return {
    ...operation,
    parameters: operation.parameters.map((parameter) =>
      parameter.fixed !== undefined && isSecretName(parameter.key ?? parameter.name)
        ? { ...parameter, fixed: mask }
        : parameter,
    ),
  };
}

export function viewServer(
  snapshot: Snapshot,
  server: Server,
  publicUrl: string,
): z.input<typeof serverResource> {
  const { createdAtMs: _created, updatedAtMs: _updated, ...rest } = server;
  return {
    ...(rest as unknown as z.input<typeof serverResource>),
    ...versionOf(server),
    tools: server.tools.map((rule) => viewSelector(snapshot, rule)),
    url: `${publicUrl}/mcp/${server.slug}`,
    toolCount: membersOf(snapshot, server).length,
  };
}

function viewSelector(
  snapshot: Snapshot,
  rule: ToolSelector,
): z.input<typeof serverResource>['tools'][number] {
  if ('toolId' in rule) return { tool: rule.toolId };
  if ('apiId' in rule)
    return {
      api: snapshot.apis.get(rule.apiId)?.slug ?? rule.apiId,
      ...(rule.tag !== undefined && { tag: rule.tag }),
    };
  return rule;
}

export function viewKey(
  snapshot: Snapshot,
  key: AccessKey,
  lastUsedAtMs: number | undefined,
): z.input<typeof keyResource> {
  return {
    ...versionOf(key),
    name: key.name,
    hint: key.hint,
    ...(key.serverIds && { servers: key.serverIds.map((id) => snapshot.servers.get(id)?.slug ?? id) }),
    ...(key.toolIds && { tools: [...key.toolIds] }),
    ...(key.expiresAtMs !== undefined && { expiresAt: time(key.expiresAtMs) }),
    ...(key.revokedAtMs !== undefined && { revokedAt: time(key.revokedAtMs) }),
    ...(key.ratePerMinute !== undefined && { ratePerMinute: key.ratePerMinute }),
    ...(key.replacesId !== undefined && { replaces: key.replacesId }),
    ...(lastUsedAtMs !== undefined && { lastUsedAt: time(lastUsedAtMs) }),
  };
}

export function viewCall(record: CallRecord): z.input<typeof callResource> {
  return {
    id: record.id,
    parentId: record.parentId,
    toolId: record.toolId,
    toolName: record.toolName,
    api: record.apiSlug,
    server: record.serverSlug,
    surface: record.surface,
    callerId: record.callerId,
    caller: record.callerLabel,
    client: record.clientName,
    clientVersion: record.clientVersion,
    startedAt: time(record.startedAtMs),
    durationMs: record.durationMs,
    upstreamMs: record.upstreamMs,
    upstreamStatus: record.upstreamStatus,
    outcome: record.outcome,
    message: record.message,
    tries: record.tries,
    cached: record.cached,
    requestBytes: record.requestBytes,
    replyBytes: record.replyBytes,
    arguments: record.argumentsText,
    reply: record.replyText,
    outputTokens: record.outputTokens,
    steps: [...record.steps],
    request: record.requestLine,
  };
}

export function viewAdmin(admin: Admin): z.input<typeof adminResource> {
  return {
    ...versionOf(admin),
    name: admin.name,
    role: admin.role,
    state: admin.passwordHash === undefined ? 'invited' : 'active',
    ...(admin.invitation && { invitationExpiresAt: time(admin.invitation.expiresAtMs) }),
  };
}

export function viewAudit(entry: AuditEntry): z.input<typeof auditResource> {
  return {
    id: entry.id,
    at: time(entry.atMs),
    actor: { id: entry.actorId, name: entry.actorLabel, address: entry.address },
    action: entry.action,
    subject: { kind: entry.subjectKind, id: entry.subjectId, name: entry.subjectLabel },
    before: changedFields(entry.before),
    after: changedFields(entry.after),
  };
}

const fieldsByName = record(text(), jsonValue<unknown>(), { max: 10_000 });

// A line of the log that was damaged is shown without them.
function changedFields(json: string | null): Record<string, unknown> | null {
  return json === null ? null : readJson(fieldsByName, json);
}
