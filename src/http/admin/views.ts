import type { FactorKind } from '../../domain/second-factor.ts';
import { callerIdOf } from '../../access/callers.ts';
import type { z } from 'zod';
import type { AccessKey } from '../../domain/access-key.ts';
import { type Group, localIssuer, type Person } from '../../domain/person.ts';
import type { PersonNow } from '../../access/people.ts';
import type { Api, ApiSource } from '../../domain/api.ts';
import type { CallRecord } from '../../domain/call.ts';
import type { ComposedContent, ComposedTool } from '../../domain/composed-tool.ts';
import type { Credential } from '../../domain/credential.ts';
import type { Server, ToolSelector } from '../../domain/server.ts';
import { labelOfRow, type SetAsideRow } from '../../domain/stored/read-stored.ts';
import type { UnreadablePerson } from '../../storage/ports.ts';
import { heldParameters, withoutHeld } from '../../domain/places/operator-places.ts';
import { kindOf, inputSchemaOf, type Tool, waitingOf } from '../../domain/tool.ts';
import { documentOrigins } from '../../import/plan/document-origins.ts';
import type { SourceCheck } from '../../import/sources/source-checks.ts';
import { strongestKind } from '../../pipeline/compile-composed.ts';
import { advertisedOutput } from '../../pipeline/reply/output-schema.ts';
import { membersOf } from '../../registry/build-snapshot.ts';
import { goneToolsOf, type Snapshot } from '../../registry/snapshot.ts';
import type { Health } from '../../upstream/health.ts';
import type { groupResource, personResource } from '../contract/people.ts';
import type { apiResource } from '../contract/apis.ts';
import type { callResource } from '../contract/calls.ts';
import type { composedResource, composedToolRoutes } from '../contract/composed-tools.ts';
import type { credentialResource } from '../contract/credentials.ts';
import type { keyResource } from '../contract/keys.ts';
import type { setAsideResource } from '../contract/set-aside.ts';
import type { serverResource } from '../contract/servers.ts';
import type { toolResource } from '../contract/tools.ts';
import {
  maskByName,
  only,
  viewAnnotations,
  viewAuth,
  viewIcons,
  viewLimits,
  viewOperation,
  viewOverrides,
  viewPiiRules,
  viewParameterRules,
  viewPolicy,
  viewProbe,
  viewPrompt,
  viewReply,
  viewResource,
  viewServerTemplate,
} from './view-parts.ts';

/** Epoch milliseconds as RFC 3339. */
export const time = (ms: number): string => new Date(ms).toISOString();

/** The fields of every stored entity, as the admin API shows them. */
export function versionOf(row: { id: string; revision: number; createdAtMs: number; updatedAtMs: number }) {
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
  const toolIds = [...(snapshot.toolsByApi.get(api.id)?.values() ?? [])];
  return {
    ...versionOf(api),
    ...only(api, 'slug', 'name', 'description', 'baseUrl', 'otherBaseUrls', 'egressAllow', 'forwardHeaders'),
    ...only(
      api,
      'allowHeaders',
      'sharedCredential',
      'ownAccounts',
      'listUnhealthy',
      'ignoreErrorBodies',
      'enabled',
    ),
    ...viewPiiRules(api),
    ...(api.identity && { identity: only(api.identity, 'header', 'audience', 'claims', 'headers') }),
    headers: maskByName(api.headers),
    auth: viewAuth(api.auth),
    limits: viewLimits(api.limits),
    ...(api.probe && { probe: viewProbe(api.probe) }),
    ...(api.serverTemplate && { serverTemplate: viewServerTemplate(api.serverTemplate) }),
    builtIn: api.builtIn ?? false,
    healthy: health.isHealthy(api.id),
    ...(api.source && { source: viewSource(api.source, look) }),
    toolCount: toolIds.length,
    pendingCount: toolIds.filter((id) => waitingOf(snapshot.tools.get(id)!) !== null).length,
    removedCount: goneToolsOf(snapshot, api.id).length,
    origins: documentOrigins(snapshot, api),
    hasCredential: [...snapshot.credentials.values()].some((credential) => credential.apiId === api.id),
  };
}

/** A credential without its values. */
export function viewCredential(
  snapshot: Snapshot,
  credential: Credential,
): z.input<typeof credentialResource> {
  return {
    ...versionOf(credential),
    ...only(credential, 'name', 'apiId', 'callerId', 'kind'),
    api: snapshot.apis.get(credential.apiId)?.slug ?? '',
    fields: [...credential.fields],
    ...(credential.references && { references: credential.references }),
    origins: [...credential.origins],
  };
}

function viewSource(
  { importedAtMs, rules, overlays, ...source }: ApiSource,
  look: SourceCheck | null,
): z.input<typeof apiResource>['source'] {
  return {
    ...only(source, 'kind', 'url', 'documentHash', 'watchEveryMs', 'approveChanges'),
    importedAt: time(importedAtMs),
    ...(rules && { rules: viewParameterRules(rules) }),
    ...(overlays && { overlays: overlays.map(({ name }) => name) }),
    ...(look && { lastLook: viewLook(look) }),
  };
}

function viewLook({ atMs, ...look }: SourceCheck) {
  return { at: time(atMs), ...only(look, 'result', 'added', 'changed', 'removed', 'message') };
}

export function viewTool(snapshot: Snapshot, tool: Tool): z.input<typeof toolResource> {
  const api = snapshot.apis.get(tool.apiId);
  const held = api === undefined ? [] : heldParameters(api, tool.operation);
  return {
    ...versionOf(tool),
    ...only(tool, 'apiId', 'name', 'title', 'description', 'tags', 'deprecated', 'scrubArguments', 'enabled'),
    annotations: viewAnnotations(tool.annotations),
    operation: viewOperation(tool.operation),
    reply: viewReply(tool.reply),
    limits: viewLimits(tool.limits),
    api: api?.slug ?? '',
    inputSchema: inputSchemaOf(api === undefined ? tool.operation : withoutHeld(api, tool.operation)),
    ...(held.length > 0 && {
      heldBack: held.map(({ parameter, why }) => ({ parameter: parameter.name, why })),
    }),
    outputSchema: advertisedOutput(tool.operation.replySchema)?.schema ?? null,
    ...(tool.source && { operationKey: tool.source.operationKey }),
    pendingChange: tool.source?.pending !== undefined,
    waiting: waitingOf(tool),
  };
}

export function viewServer(
  snapshot: Snapshot,
  server: Server,
  publicUrl: string,
): z.input<typeof serverResource> {
  const { icons, prompts, resources, clientModes } = server;
  return {
    ...versionOf(server),
    ...only(server, 'slug', 'name', 'description', 'instructions', 'ratePerMinute', 'dialect', 'pageSize'),
    ...only(server, 'allowAddresses', 'enabled', 'listOutputSchemas', 'replyMaxTokens', 'selectArgument'),
    ...only(server, 'pageArguments', 'code', 'ttlMs', 'explorerReadOnly'),
    ...viewPiiRules(server),
    mode: server.mode ?? 'auto',
    ...(clientModes && { clientModes: [...clientModes] }),
    ...(icons && { icons: viewIcons(icons) }),
    tools: server.tools.map((rule) => viewSelector(snapshot, rule)),
    overrides: viewOverrides(server.overrides),
    policy: viewPolicy(server.policy),
    ...(server.access && {
      access: server.access.map(({ tools, kinds, ...rule }) => ({
        ...only(rule, 'group', 'person', 'ratePerMinute'),
        ...(kinds && { kinds: [...kinds] }),
        ...(tools && { tools: tools.map((selector) => viewSelector(snapshot, selector)) }),
      })),
    }),
    ...(prompts && { prompts: prompts.map(viewPrompt) }),
    ...(resources && { resources: resources.map(viewResource) }),
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
  return 'all' in rule ? { all: rule.all } : { tag: rule.tag };
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
    callerId: callerIdOf(key),
    ...(key.serverIds && { servers: key.serverIds.map((id) => snapshot.servers.get(id)?.slug ?? id) }),
    ...(key.toolIds && { tools: [...key.toolIds] }),
    ...(key.expiresAtMs !== undefined && { expiresAt: time(key.expiresAtMs) }),
    ...(key.revokedAtMs !== undefined && { revokedAt: time(key.revokedAtMs) }),
    ...(key.ratePerMinute !== undefined && { ratePerMinute: key.ratePerMinute }),
    ...(key.replacesId !== undefined && { replaces: key.replacesId }),
    ...(lastUsedAtMs !== undefined && { lastUsedAt: time(lastUsedAtMs) }),
  };
}

export function viewCall(call: CallRecord): z.input<typeof callResource> {
  return {
    id: call.id,
    parentId: call.parentId,
    toolId: call.toolId,
    toolName: call.toolName,
    api: call.apiSlug,
    server: call.serverSlug,
    surface: call.surface,
    callerId: call.callerId,
    caller: call.callerLabel,
    client: call.clientName,
    clientVersion: call.clientVersion,
    startedAt: time(call.startedAtMs),
    durationMs: call.durationMs,
    upstreamMs: call.upstreamMs,
    upstreamStatus: call.upstreamStatus,
    outcome: call.outcome,
    message: call.message,
    tries: call.tries,
    cached: call.cached,
    requestBytes: call.requestBytes,
    replyBytes: call.replyBytes,
    arguments: call.argumentsText,
    reply: call.replyText,
    outputTokens: call.outputTokens,
    readTokens: call.readTokens,
    read: call.readText,
    steps: call.steps.map((step) => only(step, 'name', 'startMs', 'durationMs', 'note')),
    request: call.requestLine,
  };
}

/** A composed tool, with the tools that it may call under their names on its server. */
export function viewComposedTool(
  snapshot: Snapshot,
  composed: ComposedTool,
): z.input<typeof composedResource> {
  const server = snapshot.servers.get(composed.serverId);
  const view = server && snapshot.view(server.slug);
  const listed = new Map(view?.tools.map((one) => [one.compiled.tool.id, one]));
  const stored = composed.tools.flatMap((id) => snapshot.tools.get(id) ?? []);
  return {
    ...versionOf(composed),
    server: server?.slug ?? '',
    serverId: composed.serverId,
    ...viewComposedContent(composed),
    enabled: composed.enabled,
    kind: strongestKind(stored),
    calls: composed.tools.map((id) => {
      const tool = snapshot.tools.get(id);
      return {
        id,
        name: listed.get(id)?.name ?? tool?.name ?? id,
        kind: tool === undefined ? null : kindOf(tool),
        served: listed.has(id),
      };
    }),
    served: listed.has(composed.id),
    version: composed.version,
    savedAt: time(composed.savedAtMs),
    savedBy: composed.savedBy,
  };
}

/** The versions of a composed tool, newest first. */
export function viewComposedVersions(
  composed: ComposedTool,
): z.input<(typeof composedToolRoutes.versions)['reply']>['items'] {
  const now = { ...composed, number: composed.version };
  return [now, ...composed.versions.toReversed()].map((version) => ({
    number: version.number,
    savedAt: time(version.savedAtMs),
    savedBy: version.savedBy,
    ...viewComposedContent(version),
  }));
}

/** A person, without anything secret. */
export function viewPerson(
  person: Person,
  now: PersonNow | null,
  more: {
    readonly signedInAtMs?: number | null;
    readonly secondFactors?: readonly FactorKind[] | undefined;
  } = {},
): z.input<typeof personResource> {
  const { signedInAtMs = null, secondFactors = [] } = more;
  return {
    ...versionOf(person),
    name: person.name,
    ...(person.email !== undefined && { email: person.email }),
    issuer: person.issuer,
    ...(person.subject !== undefined && { subject: person.subject }),
    role: person.role,
    effectiveRole: now?.role ?? 'none',
    groups: [...(person.groups ?? [])],
    memberOf: [...(now?.groups ?? [])],
    claims: [...(person.claims ?? [])],
    state:
      person.disabled === true
        ? 'disabled'
        : person.issuer === localIssuer && person.passwordHash === undefined
          ? 'invited'
          : 'active',
    ...(signedInAtMs !== null && { lastSignInAt: time(signedInAtMs) }),
    ...(person.invitation && { invitationExpiresAt: time(person.invitation.expiresAtMs) }),
    secondFactors: [...secondFactors],
  };
}

/** A group of people. */
export function viewGroup(group: Group): z.input<typeof groupResource> {
  return {
    ...versionOf(group),
    name: group.name,
    ...(group.description !== undefined && { description: group.description }),
    role: group.role ?? 'none',
    claims: (group.claims ?? []).map((claim) => ({ ...claim })),
  };
}

function viewComposedContent(content: ComposedContent) {
  return {
    ...only(content, 'name', 'title', 'description', 'inputSchema', 'code'),
    tools: [...content.tools],
  };
}

/** A row that cannot be read: what is wrong with it, never what is in it. */
export function viewSetAside(row: SetAsideRow | UnreadablePerson): z.input<typeof setAsideResource> {
  return {
    kind: row.kind,
    id: row.id,
    name: labelOfRow(row),
    problems: row.problems.map((problem) => only(problem, 'path', 'message')),
  };
}
