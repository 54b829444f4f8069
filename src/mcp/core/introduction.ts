import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import type { Server } from '../../domain/server.ts';
import { legacyRevisions, modernRevision } from '../context.ts';
import type { NativeFeatures } from '../native.ts';

// What a server says about itself before anything is asked of it.

/** What of a server its introduction is made from. */
export type ServerIntroduction = Pick<
  Server,
  | 'slug'
  | 'name'
  | 'description'
  | 'icons'
  | 'instructions'
  | 'prompts'
  | 'resources'
  | 'policy'
  | 'selectArgument'
  | 'pageArguments'
>;

/** How a server introduces itself, with the icons that a client can load. */
export function implementationOf(
  server: ServerIntroduction,
  version: string,
  icons: NonNullable<Server['icons']>,
): Implementation {
  return {
    name: server.slug,
    title: server.name,
    version,
    ...(server.description !== undefined && { description: server.description }),
    ...(icons.length > 0 && {
      icons: icons.map((icon) => ({ ...icon, sizes: icon.sizes && [...icon.sizes] })),
    }),
  };
}

/** What a server that lists its tools tells its clients about itself. */
export function directInstructions(server: ServerIntroduction): string | undefined {
  const { instructions } = server;
  const own = ownArgumentInstructions(server);
  if (own.length === 0) return instructions;
  return [...(instructions === undefined ? [] : [instructions]), ...own].join('\n\n');
}

/** What a server can do, as it tells its clients. */
export function capabilitiesOf(
  server: ServerIntroduction,
  native: NativeFeatures | undefined,
  listChanged: boolean,
): ServerCapabilities {
  const { prompts, resources } = server;
  const hasPrompts = Boolean(prompts?.length || native?.prompts.size);
  const completes = Boolean(
    native?.complete ||
    prompts?.some((prompt) => prompt.arguments.some((argument) => argument.values?.length)) ||
    resources?.some((resource) => resource.toolId !== undefined && resource.uri.includes('{')),
  );
  const change = listChanged ? { listChanged: true } : {};
  return {
    tools: change,
    ...(hasPrompts && { prompts: change }),
    // A reply that is too long can be read as one.
    resources: { ...change, ...(native?.resources.subscribable && { subscribe: true }) },
    ...(completes && { completions: {} }),
    ...(native?.logging && { logging: {} }),
  };
}

/** Who may keep an answer: everyone, or only the caller it was made for. */
export function cacheScopeOf(server: ServerIntroduction, filtered: boolean): 'public' | 'private' {
  return filtered || server.policy.kind !== 'open' ? 'private' : 'public';
}

/** The result of `initialize`, for a client that asks for a revision. */
export function initializeResult(asked: unknown, told: Introduction) {
  const known = legacyRevisions.find((revision) => revision === asked);
  return {
    protocolVersion: known ?? legacyRevisions[0],
    capabilities: told.capabilities,
    serverInfo: told.implementation,
    ...(told.instructions && { instructions: told.instructions }),
  };
}

/** The result of `server/discover`, without what every modern result carries. */
export function discoverResult(told: Introduction, cacheScope: 'public' | 'private') {
  return {
    supportedVersions: [modernRevision],
    capabilities: told.capabilities,
    ...(told.instructions && { instructions: told.instructions }),
    ttlMs: 0,
    cacheScope,
  };
}

/** What a client learns when it opens a connection. */
export interface Introduction {
  readonly implementation: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** What a client is told about the argument by which it picks parts of replies, once. */
const selectInstructions =
  'Every tool takes _select, a JMESPath expression that picks what you read of its reply, such as items[].{id: id, name: name}.';

/** What a client is told about the arguments by which it asks for more than one request, once. */
const pageInstructions =
  'Tools that return pages of a list take _all: true, which gathers every page and gives one list of all records, of at most _max_items; tools that begin long jobs take _wait: true, which waits for the end.';

/** What a client is told about the arguments that a server adds to its tools; nothing where it adds none. */
function ownArgumentInstructions(server: {
  readonly selectArgument?: boolean;
  readonly pageArguments?: boolean;
}): readonly string[] {
  return [
    ...(server.selectArgument === true ? [selectInstructions] : []),
    ...(server.pageArguments === true ? [pageInstructions] : []),
  ];
}
