import { registryErrors } from '../../domain/error-messages/registry.ts';
import type { RegistryEntities } from '../../domain/stored/read-stored.ts';
import type { Tool } from '../../domain/tool.ts';
import { suggestion } from '../../lib/text/nearest-names.ts';
import { ownNameKey } from '../build-snapshot.ts';
import { idsIn } from '../id-index.ts';
import type { Snapshot } from '../snapshot.ts';

/** When something changes; passed in so that rules stay pure. */
export interface Moment {
  readonly nowMs: number;
}

interface Versioned {
  readonly id: string;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The version fields of a new entity. */
export function fresh(id: string, { nowMs }: Moment): Versioned {
  return { id, revision: 1, createdAtMs: nowMs, updatedAtMs: nowMs };
}

/**
 * The next version of `current` with `patch` applied; a key set to undefined removes the field. Rejected as
 * `stale` if the editor saw another revision.
 */
export function revise<T extends Versioned>(
  current: T,
  patch: NoInfer<Partial<T>>,
  expectedRevision: number | undefined,
  { nowMs }: Moment,
): T {
  if (expectedRevision !== undefined && expectedRevision !== current.revision) {
    throw registryErrors.stale(
      { edited: expectedRevision, current: current.revision },
      { current: current.revision },
    );
  }
  const next = {
    ...current,
    ...patch,
    revision: current.revision + 1,
    updatedAtMs: nowMs,
  };
  for (const [key, value] of Object.entries(next)) if (value === undefined) Reflect.deleteProperty(next, key);
  return next;
}

/** Finds an API by ID or slug, or throws `not_found`. */
export function findApi(snapshot: Snapshot, idOrSlug: string): RegistryEntities['api'] {
  return snapshot.apis.get(idOrSlug) ?? snapshot.apiBySlug.get(idOrSlug) ?? missing('API', idOrSlug);
}

/** Finds a server by ID or slug, or throws `not_found`. */
export function findServer(snapshot: Snapshot, idOrSlug: string): RegistryEntities['server'] {
  return snapshot.servers.get(idOrSlug) ?? snapshot.serverBySlug.get(idOrSlug) ?? missing('server', idOrSlug);
}

/** Finds a tool by ID, by `api/name`, or by a name that only one tool has. */
export function findTool(snapshot: Snapshot, reference: string): Tool {
  const byId = snapshot.tools.get(reference);
  if (byId !== undefined) return byId;
  const slash = reference.indexOf('/');
  const apiSlug = slash < 0 ? undefined : reference.slice(0, slash);
  const name = reference.slice(slash + 1);
  const found: Tool[] = [];
  for (const id of idsIn(snapshot.toolsByName, ownNameKey(name))) {
    const tool = snapshot.tools.get(id)!;
    if (tool.name !== name) continue;
    if (apiSlug === undefined || snapshot.apis.get(tool.apiId)?.slug === apiSlug) found.push(tool);
  }
  if (found.length > 1) {
    const choices = found
      .map((tool) => `${snapshot.apis.get(tool.apiId)?.slug ?? '?'}/${tool.name}`)
      .join(', ');
    throw registryErrors.toolAmbiguous({ name, choices });
  }
  if (found[0] !== undefined) return found[0];
  const names = new Set([...snapshot.tools.values()].map((tool) => tool.name));
  return missing('tool', reference, suggestion(name, names));
}

/** Throws `not_found` with the same wording everywhere, followed by suggestions. */
export function missing(what: string, reference: string, suggested = ''): never {
  throw registryErrors.notFound({ what, reference, suggestion: suggested });
}
