import {
  type ComposedContent,
  composedContentOf,
  type ComposedTool,
  type ComposedVersion,
  keptVersions,
} from '../../domain/composed-tool.ts';
import { registryErrors } from '../../domain/error-messages/registry.ts';
import { newId } from '../../domain/ids.ts';
import { invalidInputError } from '../../domain/stored/read-stored.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { suggestion } from '../../lib/text/nearest-names.ts';
import { inputSchemaProblem } from '../../pipeline/compile-composed.ts';
import { composedOf } from '../build-snapshot.ts';
import type { Decision } from '../registry.ts';
import type { Snapshot } from '../snapshot.ts';
import { findServer, findTool, fresh, missing, type Moment, revise } from './find-and-revise.ts';
import { requireFreeToolName } from './reserved-names.ts';

/** What an operator enters for a new composed tool; its tools are IDs or names. */
export type NewComposedTool = Omit<ComposedContent, 'tools'> & {
  /** ID or slug. */
  readonly server: string;
  readonly tools: readonly string[];
  readonly enabled?: boolean;
};

/** The fields of a composed tool that can be edited. */
export type ComposedPatch = Partial<Omit<NewComposedTool, 'server'>>;

/** When something was saved, and by whom. */
export interface SavedMoment extends Moment {
  readonly by: string;
}

/** Saves a script as a tool of a server. */
export function createComposedTool(
  snapshot: Snapshot,
  { server, tools, enabled = true, ...given }: NewComposedTool,
  moment: SavedMoment,
): Decision<ComposedTool> {
  const content = composedContentOf({ ...given, tools: idsOf(snapshot, server, tools) });
  return newComposedTool(findServer(snapshot, server).id, content, enabled, moment);
}

/** Creates a composed tool of a server, which may be created in the same change. */
export function newComposedTool(
  serverId: string,
  content: ComposedContent,
  enabled: boolean,
  moment: SavedMoment,
): Decision<ComposedTool> {
  requireFreeToolName(content.name, '/name');
  checkSchema(content);
  const composed: ComposedTool = {
    ...fresh(newId('comp', moment.nowMs), moment),
    serverId,
    ...content,
    enabled,
    version: 1,
    savedAtMs: moment.nowMs,
    savedBy: moment.by,
    versions: [],
  };
  return { changes: [{ op: 'put', kind: 'composed-tool', entity: composed }], result: composed };
}

/** Edits a composed tool; changing its content creates a new version. */
export function updateComposedTool(
  snapshot: Snapshot,
  reference: string,
  { tools, ...patch }: ComposedPatch,
  expectedRevision: number | undefined,
  moment: SavedMoment,
): Decision<ComposedTool> {
  const current = findComposedTool(snapshot, reference);
  const given = {
    ...patch,
    ...(tools !== undefined && { tools: idsOf(snapshot, current.serverId, tools, current.tools) }),
  };
  if (patch.name !== current.name) requireFreeToolName(patch.name, '/name');
  const composed = revise(
    current,
    { ...given, ...nextVersion(current, given, moment) },
    expectedRevision,
    moment,
  );
  checkSchema(composed);
  return { changes: [{ op: 'put', kind: 'composed-tool', entity: composed }], result: composed };
}

/** Restores an earlier version of a composed tool as a new version. */
export function restoreComposedTool(
  snapshot: Snapshot,
  reference: string,
  number: number,
  expectedRevision: number | undefined,
  moment: SavedMoment,
): Decision<ComposedTool> {
  const current = findComposedTool(snapshot, reference);
  const { title, ...content } = composedContentOf(findVersion(current, number));
  const given = { ...content, title };
  const composed = revise(
    current,
    { ...given, ...nextVersion(current, given, moment) },
    expectedRevision,
    moment,
  );
  return { changes: [{ op: 'put', kind: 'composed-tool', entity: composed }], result: composed };
}

/** Deletes a composed tool with all its versions. */
export function deleteComposedTool(snapshot: Snapshot, reference: string): Decision<ComposedTool> {
  const composed = findComposedTool(snapshot, reference);
  return { changes: [{ op: 'delete', kind: 'composed-tool', id: composed.id }], result: composed };
}

/** Finds a composed tool by ID, by `server/name`, or by a name that only one server has. */
export function findComposedTool(snapshot: Snapshot, reference: string): ComposedTool {
  const byId = snapshot.composedTools.get(reference);
  if (byId !== undefined) return byId;
  const slash = reference.indexOf('/');
  const name = reference.slice(slash + 1);
  const all =
    slash < 0
      ? [...snapshot.composedTools.values()]
      : composedOf(snapshot, findServer(snapshot, reference.slice(0, slash)).id);
  const found = all.filter((composed) => composed.name === name);
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    return missing(
      'composed tool',
      reference,
      suggestion(
        name,
        all.map((composed) => composed.name),
      ),
    );
  const choices = found.map(({ serverId }) => `${snapshot.servers.get(serverId)?.slug ?? '?'}/${name}`);
  throw registryErrors.composedToolAmbiguous({ name, choices: choices.join(', ') });
}

/**
 * The ID of a tool, composed or not: by its ID, by `api/name` or `server/name`, or by a name that only one tool
 * has.
 */
export function callableId(snapshot: Snapshot, reference: string): string {
  if (snapshot.composedTools.has(reference)) return reference;
  const slash = reference.indexOf('/');
  const [place, name] = [reference.slice(0, Math.max(slash, 0)), reference.slice(slash + 1)];
  const server = snapshot.apiBySlug.has(place) ? undefined : snapshot.serverBySlug.get(place);
  const composed = server && composedOf(snapshot, server.id).find((one) => one.name === name);
  return composed?.id ?? findTool(snapshot, reference).id;
}

/** An earlier version of a composed tool, or the current one. */
export function findVersion(composed: ComposedTool, number: number): ComposedVersion {
  if (number === composed.version) return asVersion(composed);
  const version = composed.versions.find((one) => one.number === number);
  return version ?? missing(`version of the composed tool "${composed.name}"`, String(number));
}

function asVersion(composed: ComposedTool): ComposedVersion {
  const { version: number, savedAtMs, savedBy } = composed;
  return { ...composedContentOf(composed), number, savedAtMs, savedBy };
}

/** What changes in addition to the content when the content changes. */
function nextVersion(
  current: ComposedTool,
  patch: Partial<ComposedContent>,
  moment: SavedMoment,
): Partial<ComposedTool> {
  const before = composedContentOf(current);
  const after: ComposedContent = composedContentOf({ ...before, ...patch });
  if (sameJson(before, after)) return {};
  return {
    version: current.version + 1,
    savedAtMs: moment.nowMs,
    savedBy: moment.by,
    versions: kept([...current.versions, asVersion(current)]),
  };
}

/** The newest versions, as many as fit. */
function kept(versions: readonly ComposedVersion[]): ComposedVersion[] {
  let room = keptVersions.codeChars;
  const newest: ComposedVersion[] = [];
  for (const version of versions.slice(-keptVersions.count).toReversed()) {
    room -= version.code.length;
    if (room < 0) break;
    newest.unshift(version);
  }
  return newest;
}

/**
 * The IDs of tools; a name is first looked up among the server's. A tool that was listed before may be gone by
 * now.
 */
function idsOf(
  snapshot: Snapshot,
  server: string,
  references: readonly string[],
  known: readonly string[] = [],
): string[] {
  const { slug } = findServer(snapshot, server);
  const byName = snapshot.view(slug)?.byName;
  const ids = references.map((reference) => {
    if (known.includes(reference)) return reference;
    const listed = byName?.get(reference);
    return listed !== undefined && listed.compiled.script === null
      ? listed.compiled.tool.id
      : findTool(snapshot, reference).id;
  });
  return [...new Set(ids)];
}

function checkSchema({ name, inputSchema }: ComposedContent): void {
  const fault = inputSchemaProblem(inputSchema);
  if (fault !== null)
    throw invalidInputError(`The composed tool "${name}" cannot be saved`, [
      { path: '/inputSchema', message: `is not a valid JSON Schema: ${fault}` },
    ]);
}
