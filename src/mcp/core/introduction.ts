import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import type { Server } from '../../domain/server.ts';
import { legacyRevisions, modernRevision } from '../context.ts';
import type { NativeFeatures } from '../native.ts';

// What a server says about itself when a client connects.

/** The parts of a server that its introduction is made from. */
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

/** The instructions of a server that lists its tools. */
export function directInstructions(server: ServerIntroduction): string | undefined {
  const { instructions } = server;
  const own = ownArgumentInstructions(server);
  if (own.length === 0) return instructions;
  return [...(instructions === undefined ? [] : [instructions]), ...own].join('\n\n');
}

/** The capabilities that a server declares. */
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
    // Even without resources of its own, since a long reply can be read as one.
    resources: { ...change, ...(native?.resources.subscribable && { subscribe: true }) },
    ...(completes && { completions: {} }),
    ...(native?.logging && { logging: {} }),
  };
}

/** Who may cache an answer: everyone, or only the caller it was made for. */
export function cacheScopeOf(server: ServerIntroduction, filtered: boolean): 'public' | 'private' {
  return filtered || server.policy.kind !== 'open' ? 'private' : 'public';
}

/** The result of `initialize`, for the revision that a client requests. */
export function initializeResult(requested: unknown, introduction: Introduction) {
  const known = legacyRevisions.find((revision) => revision === requested);
  return {
    protocolVersion: known ?? legacyRevisions[0],
    capabilities: introduction.capabilities,
    serverInfo: introduction.implementation,
    ...(introduction.instructions && { instructions: introduction.instructions }),
  };
}

/** The result of `server/discover`, without the members that every modern result has. */
export function discoverResult(
  introduction: Introduction,
  cacheHints: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' },
) {
  return {
    supportedVersions: [modernRevision],
    capabilities: introduction.capabilities,
    ...(introduction.instructions && { instructions: introduction.instructions }),
    ...cacheHints,
  };
}

/** What a client learns when it connects. */
export interface Introduction {
  readonly implementation: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** Explains the argument that picks parts of replies, once per server. */
const selectInstructions =
  'Every tool takes _select, a JMESPath expression that picks what you read of its reply, such as items[].{id: id, name: name}.';

/** Explains the arguments that request more than one page or wait for a job, once per server. */
const pageInstructions =
  'Tools that return pages of a list take _all: true, which gathers every page and returns one list of all records, up to _max_items; tools that start long jobs take _wait: true, which waits until the job is done.';

/** Explains the arguments that a server adds to its tools; empty if it adds none. */
function ownArgumentInstructions(server: {
  readonly selectArgument?: boolean;
  readonly pageArguments?: boolean;
}): readonly string[] {
  return [
    ...(server.selectArgument === true ? [selectInstructions] : []),
    ...(server.pageArguments === true ? [pageInstructions] : []),
  ];
}
