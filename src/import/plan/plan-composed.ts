import type { DescribedComposedTool, ImportNote } from '../../domain/description.ts';
import { diff, type FieldChange } from '../../domain/field-changes.ts';
import { composedContentOf, type ComposedTool } from '../../domain/composed-tool.ts';
import { pointerTo } from '../../lib/json/json-pointer.ts';
import { composedOf } from '../../registry/build-snapshot.ts';
import { newComposedTool, updateComposedTool } from '../../registry/rules/composed-tools.ts';
import type { Decision } from '../../registry/registry.ts';
import type { Moment } from '../../registry/rules/find-and-revise.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { RegistryChange } from '../../storage/ports.ts';

const savedBy = 'an import';

/**
 * Updates the composed tools of a server from an export: one with the same name gets a new version. Tools that are not in
 * the export stay, because handwritten scripts cannot be recreated. A tool that may call a missing tool is switched off.
 */
export function planComposedTools(
  snapshot: Snapshot,
  server: { readonly id: string; readonly slug: string },
  described: readonly DescribedComposedTool[],
  find: (reference: string) => string | undefined,
  notes: ImportNote[],
  { nowMs }: Moment,
): Decision<FieldChange[]> {
  const moment = { nowMs, by: savedBy };
  const known = new Map(composedOf(snapshot, server.id).map((composed) => [composed.name, composed]));
  const changes: RegistryChange[] = [];
  const fields: FieldChange[] = [];
  for (const { enabled: wasEnabled = true, tools: references, ...said } of described) {
    const tools = references.flatMap((reference) => find(reference) ?? []);
    const isWhole = tools.length === references.length;
    if (!isWhole)
      notes.push({
        code: 'composed_tool_off',
        message: `The composed tool "${said.name}" of the server "${server.slug}" is switched off: it calls a tool that does not exist here.`,
      });
    const content = composedContentOf({ ...said, tools });
    const enabled = wasEnabled && isWhole;
    const before = known.get(said.name);
    const differing = diff(
      before && shownOf(before),
      { ...content, enabled },
      pointerTo('/composedTools', said.name),
    );
    if (differing.length === 0) continue;
    fields.push(...differing);
    changes.push(
      ...(before === undefined
        ? newComposedTool(server.id, content, enabled, moment)
        : updateComposedTool(
            snapshot,
            before.id,
            { ...content, title: content.title, enabled },
            undefined,
            moment,
          )
      ).changes,
    );
  }
  return { changes, result: fields };
}

function shownOf(composed: ComposedTool): object {
  return { ...composedContentOf(composed), enabled: composed.enabled };
}
