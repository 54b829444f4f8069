import type { RegistryChange } from '../../storage/ports.ts';
import { leaveOut } from './apis.ts';
import type { Decision } from '../registry.ts';
import { findTool, type Moment, revise } from './find-and-revise.ts';
import { dropToolReferences } from './servers.ts';
import type { Snapshot } from '../snapshot.ts';

/** One change to many tools. */
export interface ToolsChange {
  readonly enabled?: boolean | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
  readonly delete?: true | undefined;
}

/** Changes or deletes many tools in one commit; returns how many were affected. */
export function changeTools(
  snapshot: Snapshot,
  references: readonly string[],
  change: ToolsChange,
  moment: Moment,
): Decision<number> {
  const tools = new Set(references.map((reference) => findTool(snapshot, reference)));
  if (change.delete) {
    const mentions = dropToolReferences(snapshot, new Set([...tools].map((tool) => tool.id)), null, moment);
    const deletions = [...tools].map((tool): RegistryChange => ({ op: 'delete', kind: 'tool', id: tool.id }));
    return {
      changes: [...mentions, ...leaveOut(snapshot, tools, moment), ...deletions],
      result: tools.size,
    };
  }
  const removed = new Set(change.removeTags);
  const changes: RegistryChange[] = [];
  for (const tool of tools) {
    const enabled = change.enabled ?? tool.enabled;
    const kept = tool.tags.filter((tag) => !removed.has(tag));
    const tags = [...new Set([...kept, ...(change.addTags ?? [])])];
    if (enabled === tool.enabled && tags.join('\0') === tool.tags.join('\0')) continue;
    changes.push({
      op: 'put',
      kind: 'tool',
      entity: revise(tool, { enabled, tags }, undefined, moment),
    });
  }
  return { changes, result: changes.length };
}
