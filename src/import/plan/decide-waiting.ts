import { importErrors } from '../../domain/error-messages/import.ts';
import { isGone, type Tool, waitingOf } from '../../domain/tool.ts';
import type { Decision } from '../../registry/registry.ts';
import { findApi, findTool, missing } from '../../registry/rules/find-and-revise.ts';
import { dropToolReferences } from '../../registry/rules/servers.ts';
import { allToolsOf, goneToolsOf, type Snapshot } from '../../registry/snapshot.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import type { DecidedTools } from './import-plan.ts';
import { approveWaiting, rejectWaiting } from './plan-tool.ts';

/** Approves or rejects pending changes. */
export function decideWaiting(
  snapshot: Snapshot,
  about: DecidedTools,
  approve: boolean,
  nowMs: number,
): Decision<void> {
  const tools = toolsOf(snapshot, about);
  const decided = tools.map((tool) => {
    const next = approve ? approveWaiting(tool, nowMs) : rejectWaiting(tool, nowMs);
    if (next === null) throw importErrors.nothingPending({ tool: `"${tool.name}"` });
    return next;
  });
  const changes: RegistryChange[] = decided.map((entity) => ({ op: 'put', kind: 'tool', entity }));
  const went = decided.filter(isGone);
  if (went.length === 0) return { changes, result: undefined };
  const forgotten = tooManyToRemember([...goneToolsOf(snapshot, went[0]!.apiId), ...went]);
  return { changes: [...changes, ...deletions(snapshot, forgotten, nowMs)], result: undefined };
}

function toolsOf(snapshot: Snapshot, about: DecidedTools): readonly Tool[] {
  if ('tool' in about) return [findTool(snapshot, about.tool)];
  const api = findApi(snapshot, about.api);
  const waiting = allToolsOf(snapshot, api.id).filter((tool) => waitingOf(tool) !== null);
  if (about.tools === undefined) return waiting;
  const byReference = new Map(
    waiting.flatMap((tool) => [[tool.id, tool] as const, [tool.name, tool] as const]),
  );
  return [...new Set(about.tools)].map((reference) => {
    const tool = byReference.get(reference);
    if (tool !== undefined) return tool;
    throw importErrors.nothingPending({
      tool: `${JSON.stringify(reference.slice(0, 100))} of "${api.slug}"`,
    });
  });
}

/** Forgets tools that an API's document dropped; all of them without a list. */
export function forgetGone(
  snapshot: Snapshot,
  reference: string,
  toolIds: readonly string[] | undefined,
  nowMs: number,
): Decision<void> {
  const gone = goneToolsOf(snapshot, findApi(snapshot, reference).id);
  const chosen = toolIds?.map(
    (wanted) =>
      gone.find(({ id, name }) => id === wanted || name === wanted) ?? missing('removed tool', wanted),
  );
  return { changes: deletions(snapshot, chosen ?? gone, nowMs), result: undefined };
}

function deletions(snapshot: Snapshot, tools: readonly Tool[], nowMs: number): RegistryChange[] {
  if (tools.length === 0) return [];
  const ids = new Set(tools.map(({ id }) => id));
  return [
    ...dropToolReferences(snapshot, ids, null, { nowMs }),
    ...[...ids].map((id): RegistryChange => ({ op: 'delete', kind: 'tool', id })),
  ];
}

/** Limits on the dropped tools remembered per API; the latest are kept. */
const maxTools = 2_000;
const maxCharacters = 16_000_000;

/** The dropped tools of one API that exceed the limits: those dropped first. */
export function tooManyToRemember(
  gone: readonly Tool[],
  { tools = maxTools, characters = maxCharacters } = {},
): Tool[] {
  const latestFirst = gone.toSorted((a, b) => (b.source?.goneAtMs ?? 0) - (a.source?.goneAtMs ?? 0));
  let left = characters;
  return latestFirst.filter((tool, index) => {
    left -= JSON.stringify(tool).length;
    return index >= tools || left < 0;
  });
}
