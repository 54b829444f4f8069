import type { z } from 'zod';
import type {
  Server,
  ServerPolicy,
  ServerResource,
  ToolOverride,
  ToolSelector,
} from '../../../domain/server.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import { dialects, isDialectName } from '../../../mcp/dialects/dialects.ts';
import { describeDialect } from '../../../mcp/render/render-tools.ts';
import { callableId } from '../../../registry/rules/composed-tools.ts';
import { findApi, findServer, findTool, missing } from '../../../registry/rules/find-and-revise.ts';
import {
  createServer,
  deleteServer,
  keptClientSecret,
  updateServer,
} from '../../../registry/rules/servers.ts';
import type { Snapshot } from '../../../registry/snapshot.ts';
import { serverRoutes } from '../../contract/servers.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { nullsToUndefined } from '../nulls-to-undefined.ts';
import { pageById } from '../paging.ts';
import { viewServer } from '../views.ts';

type ServerBody = z.output<(typeof serverRoutes.create)['body']>;

/** Publishing servers and choosing their tools. */
export function bindServers({
  registry,
  store,
  rules,
  now,
  publicUrl,
  credentials,
  people,
}: AppContext): BoundRoute[] {
  const readServer = readServerWith(credentials.sealClientSecret, people);
  const moment = () => ({ nowMs: now() });
  const requirePeople = async (access: ServerBody['access'] | null) => {
    for (const { person } of access ?? [])
      if (person !== undefined && (await people.read(person)) === null) missing('person', person);
  };
  const view = (server: Server) => viewServer(registry.snapshot, server, publicUrl());
  return [
    bind(serverRoutes.list, ({ query }) => pageById([...registry.snapshot.servers.values()], query, view)),
    bind(serverRoutes.create, async ({ body, actor }) => {
      const { slug, tools, ...rest } = body;
      await requirePeople(body.access);
      const server = await registry.commit(actor, (snapshot) => {
        const read = readServer(snapshot, { ...rest, tools }, undefined);
        return createServer(snapshot, { ...read, slug, tools: read.tools ?? [] }, rules, moment());
      });
      return view(server);
    }),
    bind(serverRoutes.get, ({ params }) => view(findServer(registry.snapshot, params.server))),
    bind(serverRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      await requirePeople(body.access);
      const server = await registry.commit(actor, (snapshot) =>
        updateServer(
          snapshot,
          params.server,
          readServer(snapshot, nullsToUndefined(body), findServer(snapshot, params.server).policy),
          expectedRevision,
          rules,
          moment(),
        ),
      );
      return view(server);
    }),
    bind(serverRoutes.dialect, ({ params }) => {
      const { slug } = findServer(registry.snapshot, params.server);
      if (!isDialectName(params.dialect)) {
        throw adminApiErrors.unknownDialect({
          name: params.dialect,
          known: Object.keys(dialects).join(', '),
        });
      }
      const served = registry.snapshot.view(slug);
      const tools = served === undefined ? [] : describeDialect(served, dialects[params.dialect]);
      return { dialect: params.dialect, tools };
    }),
    bind(serverRoutes.remove, async ({ params, actor }) => {
      const { id } = await registry.commit(actor, (snapshot) => deleteServer(snapshot, params.server));
      await store.checkRuns.removeAllOf(id);
    }),
  ];
}

type SealClientSecret = AppContext['credentials']['sealClientSecret'];

/** Resolves slugs and names in a request to ids, and seals the client secret if there is one. */
const readServerWith =
  (seal: SealClientSecret, people: AppContext['people']) =>
  (snapshot: Snapshot, given: Partial<ServerBody>, before: ServerPolicy | undefined) => {
    const { tools, overrides, policy, prompts, resources, access, ...rest } = given;
    return {
      ...rest,
      ...(policy !== undefined && { policy: readPolicy(snapshot, policy, before, seal) }),
      ...(tools !== undefined && { tools: readSelection(snapshot, tools) }),
      ...(overrides !== undefined && { overrides: readOverrides(snapshot, overrides) }),
      // A key that is present but undefined removes the value from the server.
      ...('prompts' in given && {
        prompts: prompts?.map((prompt) => ({ ...prompt, arguments: prompt.arguments ?? [] })),
      }),
      ...('access' in given && {
        access: access?.map(({ group, tools: selected, ...rule }) => ({
          ...rule,
          ...(group !== undefined && { group: people.findGroup(group).id }),
          ...(selected !== undefined && { tools: readSelection(snapshot, selected) }),
        })),
      }),
      ...('resources' in given && { resources: resources && readResources(snapshot, resources) }),
    };
  };

/** Reads a tool selection, resolving slugs and names to ids. */
export function readSelection(
  snapshot: Snapshot,
  selection: NonNullable<ServerBody['tools']>,
): ToolSelector[] {
  if (selection === '*') return [{ all: true }];
  if (Array.isArray(selection)) return selection.map((entry) => readSelector(snapshot, entry));
  const { apis = [], tags = [], tools = [] } = selection;
  return [
    ...apis.map((api) => ({ apiId: findApi(snapshot, api).id })),
    ...tags.map((tag) => ({ tag })),
    ...tools.map((tool) => ({ toolId: findTool(snapshot, tool).id })),
  ];
}

type Selector =
  | string
  | { all: true }
  | { api: string; tag?: string | undefined }
  | { tag: string }
  | { tool: string };

function readSelector(snapshot: Snapshot, entry: Selector): ToolSelector {
  if (entry === '*') return { all: true };
  if (typeof entry === 'string') return { toolId: findTool(snapshot, entry).id };
  if ('tool' in entry) return { toolId: findTool(snapshot, entry.tool).id };
  if ('api' in entry)
    return { apiId: findApi(snapshot, entry.api).id, ...(entry.tag !== undefined && { tag: entry.tag }) };
  return entry;
}

function readOverrides(
  snapshot: Snapshot,
  overrides: NonNullable<ServerBody['overrides']>,
): Record<string, ToolOverride> {
  return Object.fromEntries(
    Object.entries(overrides).map(([tool, override]) => [findTool(snapshot, tool).id, override]),
  );
}

function readResources(
  snapshot: Snapshot,
  resources: NonNullable<ServerBody['resources']>,
): ServerResource[] {
  return resources.map(({ toolId, ...resource }) => ({
    ...resource,
    ...(toolId !== undefined && { toolId: findTool(snapshot, toolId).id }),
  }));
}

function readPolicy(
  snapshot: Snapshot,
  given: NonNullable<ServerBody['policy']>,
  before: ServerPolicy | undefined,
  seal: SealClientSecret,
): ServerPolicy {
  if (given.kind !== 'oauth') return given;
  const { toolScopes, introspection, ...rest } = given;
  const byScope = Object.entries(toolScopes ?? {}).map(
    ([scope, tools]) => [scope, tools.map((tool) => callableId(snapshot, tool))] as const,
  );
  const policy = { ...rest, ...(toolScopes && { toolScopes: Object.fromEntries(byScope) }) };
  if (introspection === undefined) return policy;
  const { clientSecret, ...asked } = introspection;
  const unsealed = { ...policy, introspection: asked };
  const sealed =
    clientSecret === undefined ? keptClientSecret(unsealed, before) : seal(unsealed, clientSecret);
  if (sealed === undefined)
    throw adminApiErrors.introspectionSecretMissing({
      problems: [{ path: '/policy/introspection/clientSecret', message: 'is required' }],
    });
  return { ...policy, introspection: { ...asked, sealed } };
}
