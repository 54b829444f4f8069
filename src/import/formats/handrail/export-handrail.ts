import type { Api } from '../../../domain/api.ts';
import type { DescribedServer } from '../../../domain/description.ts';
import { exportOmissions } from '../../../domain/export-omissions.ts';
import { composedContentOf } from '../../../domain/composed-tool.ts';
import type { Server, ServerPolicy } from '../../../domain/server.ts';
import type { Tool, ToolContent } from '../../../domain/tool.ts';
import { isSecretName, mask, maskQuery } from '../../../lib/secrets/mask-secrets.ts';
import { composedOf } from '../../../registry/build-snapshot.ts';
import type { Snapshot } from '../../../registry/snapshot.ts';
import { formatVersion } from './handrail-format.ts';

/** APIs with their current tools. */
export type ApisWithTools = readonly { readonly api: Api; readonly tools: readonly Tool[] }[];

/**
 * Everything about some APIs, their tools and some servers, except ids, revisions and secrets. Importing it recreates
 * them; masked values keep the current value at the destination.
 */
export function exportHandrail(
  apis: ApisWithTools,
  servers: readonly DescribedServer[] = [],
): Record<string, unknown> {
  return {
    handrail: formatVersion,
    omitted: exportOmissions,
    apis: apis.map(({ api, tools }) => ({ ...exportApi(api), tools: tools.map(exportTool) })),
    ...(servers.length > 0 && { servers }),
  };
}

/** A server with slugs and names instead of ids. */
export function exportServer(snapshot: Snapshot, server: Server): DescribedServer {
  const referTo = (toolId: string): string[] => {
    const tool = snapshot.tools.get(toolId) ?? snapshot.gone.get(toolId);
    const api = tool && snapshot.apis.get(tool.apiId);
    return api ? [`${api.slug}/${tool.name}`] : [];
  };
  const byReference = <T>(byId: Iterable<readonly [string, T]>): Record<string, T> =>
    Object.fromEntries(
      [...byId].flatMap(([id, value]) => referTo(id).map((reference) => [reference, value])),
    );
  const { tools, overrides, policy, resources, access, ...rest } = withoutRow(server);
  const composedTools = composedOf(snapshot, server.id);
  return {
    ...rest,
    tools: tools.flatMap((rule): DescribedServer['tools'][number][] => {
      if ('toolId' in rule) return referTo(rule.toolId).map((tool) => ({ tool }));
      if (!('apiId' in rule)) return [rule];
      const api = snapshot.apis.get(rule.apiId);
      return api ? [{ api: api.slug, ...(rule.tag !== undefined && { tag: rule.tag }) }] : [];
    }),
    overrides: byReference(Object.entries(overrides)),
    givenNames: byReference(snapshot.givenNames.get(server.id) ?? []),
    policy: exportPolicy(policy, referTo),
    // Groups and people are not exported; without its rules a server would be open to more people than before.
    ...(access !== undefined && { access: [] }),
    ...(resources && {
      resources: resources.map(({ toolId, ...resource }) => {
        const [tool] = toolId === undefined ? [] : referTo(toolId);
        return { ...resource, ...(tool !== undefined && { tool }) };
      }),
    }),
    ...(composedTools.length > 0 && {
      composedTools: composedTools.map((composed) => ({
        ...composedContentOf(composed),
        tools: composed.tools.map((id) => referTo(id)[0] ?? `gone/${id}`),
        enabled: composed.enabled,
      })),
    }),
  };
}

function exportPolicy(policy: ServerPolicy, referTo: (toolId: string) => string[]): ServerPolicy {
  if (policy.kind !== 'oauth') return policy;
  const { toolScopes, introspection, ...rest } = policy;
  const { sealed: _sealed, ...asked } = introspection ?? { clientId: '' };
  const byScope = Object.entries(toolScopes ?? {}).map(
    ([scope, ids]) => [scope, ids.flatMap(referTo)] as const,
  );
  return {
    ...rest,
    ...(toolScopes && { toolScopes: Object.fromEntries(byScope) }),
    // Exports contain no secret, sealed or not.
    ...(introspection && { introspection: asked }),
  };
}

function exportApi(api: Api): object {
  const { source, ...rest } = withoutRow(api);
  return {
    ...rest,
    baseUrl: maskQuery(api.baseUrl),
    headers: maskHeaders(api.headers),
    ...(source && {
      source: {
        ...source,
        ...(source.url !== undefined && { url: maskQuery(source.url) }),
        ...(source.rules?.fix && { rules: { ...source.rules, fix: maskHeaders(source.rules.fix) } }),
        ...(source.imported && {
          imported: { ...source.imported, headers: maskHeaders(source.imported.headers) },
        }),
      },
    }),
  };
}

function exportTool(tool: Tool): object {
  const { apiId: _apiId, source, ...rest } = withoutRow(tool);
  return {
    ...maskFixed(rest),
    ...(source && {
      source: {
        ...source,
        ...(source.imported && { imported: maskFixed(source.imported) }),
        ...(source.pending && { pending: maskFixed(source.pending) }),
      },
    }),
  };
}

function maskHeaders(headers: Api['headers']): Api['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? mask : value]),
  );
}

// A fixed value whose name suggests a secret is one.
function maskFixed<T extends Pick<ToolContent, 'operation'>>(content: T): T {
  const { operation } = content;
  const parameters = operation.parameters.map((parameter) =>
    parameter.fixed !== undefined && isSecretName(parameter.key ?? parameter.name)
      ? { ...parameter, fixed: mask }
      : parameter,
  );
  return { ...content, operation: { ...operation, parameters } };
}

function withoutRow<
  T extends {
    readonly id: string;
    readonly revision: number;
    readonly createdAtMs: number;
    readonly updatedAtMs: number;
  },
>(entity: T): Omit<T, 'id' | 'revision' | 'createdAtMs' | 'updatedAtMs'> {
  const { id: _id, revision: _revision, createdAtMs: _created, updatedAtMs: _updated, ...rest } = entity;
  return rest;
}
