import {
  fidelityOf,
  type ApiDescription,
  type DescribedOperation,
  type ImportNote,
  type SharedInput,
} from '../../domain/description.ts';
import { fitToolName } from '../../domain/names.ts';
import type { Tool, ToolContent } from '../../domain/tool.ts';
import { createPace } from '../../lib/timing/pace.ts';
import type { AddedTool, ChangedTool, CurrentState, ImportPlan, PlanOptions } from './import-plan.ts';
import { giveNames, matchTools, plainKey } from './match-tools.ts';
import { planApi } from './plan-api.ts';
import { holdBack, withoutTellingHeaders } from './hold-back.ts';
import { isPathOfSegments } from './parameter-rules.ts';
import { newTool, planChange, planReplacement } from './plan-tool.ts';
import { namesExactly, selects } from './select.ts';

/**
 * Compares a description with what stands, and says what applying it would do. Pure but for new ids. Comparing a
 * thousand tools takes a while, so it lets the event loop go on in between.
 */
export async function planImport(
  described: ApiDescription,
  current: CurrentState,
  options: PlanOptions,
): Promise<ImportPlan> {
  const pace = createPace();
  const own = described.kind === 'handrail';
  // Exports are an operator's own; what other documents say about who is asking is not.
  const isExport = own || described.kind === 'handsai';
  const description = isExport ? described : withoutTellingHeaders(described, current.api);
  const selection = options.selection ?? current.api?.source?.selection;
  const isSelected = selects(selection);
  const isLeftOut = own ? () => false : leftOutByHand(current, options);
  const leftOut = new Set<DescribedOperation>();
  const chosen = description.operations.filter((operation) => {
    if (!isSelected(operation)) return false;
    if (isLeftOut(operation)) leftOut.add(operation);
    return !leftOut.has(operation);
  });
  // Our own export says everything about a tool, however it came to be.
  const imported = own ? current.tools : current.tools.filter((tool) => tool.source !== undefined);
  const matches = matchTools(chosen, imported);
  // What cannot be read is neither changed nor made a second time under another name.
  const held = new Set(
    chosen.filter(
      (operation) => !matches.has(operation) && current.isNameHeld(fitToolName(operation.wantedName)),
    ),
  );
  await pace();
  const names = giveNames(chosen, matches, current.tools);
  const apiPlan = planApi(description, current, options, {
    ...(selection && { selection }),
    leftOut: stillLeftOut(description, current, leftOut),
  });
  const approve = options.approveChanges ?? current.api?.source?.approveChanges ?? false;

  const notesOf = new Map<DescribedOperation, readonly ImportNote[]>();
  const added: AddedTool[] = [];
  const changed: ChangedTool[] = [];
  const unchanged: { name: string; operation: string }[] = [];
  for (const operation of chosen) {
    if (!operation.content || held.has(operation)) continue;
    await pace();
    const heldBack = own ? operation : holdBack(operation, apiPlan.api);
    if (heldBack !== operation) notesOf.set(operation, heldBack.notes);
    const fresh: ToolContent = { ...heldBack.content!, name: names.get(operation)! };
    const tool = matches.get(operation);
    if (!tool) {
      added.push({
        name: fresh.name,
        operation: operation.key,
        tool: newTool(fresh, operation, own, apiPlan.api.id, options.nowMs),
      });
      continue;
    }
    const change = own
      ? planReplacement(tool, fresh, operation, options.nowMs)
      : planChange(tool, fresh, operation.key, approve, options.nowMs);
    if (change) changed.push(change);
    else unchanged.push({ name: tool.name, operation: operation.key });
  }

  const rules = options.rules ?? current.api?.source?.rules;
  const fixed = new Set(Object.keys(rules?.fix ?? {}).map((name) => name.toLowerCase()));
  const constants = (description.constants ?? []).filter(({ name }) => !fixed.has(name.toLowerCase()));
  const selected = new Set(chosen);
  const nameOf = (operation: DescribedOperation): string | null => {
    if (!operation.content || !selected.has(operation) || held.has(operation)) return null;
    return matches.get(operation)?.name ?? names.get(operation)!;
  };
  return {
    ...apiPlan,
    added,
    changed,
    removed: own ? [] : goneTools(imported, new Set(matches.values()), chosen),
    unchanged,
    report: description.operations.map((operation) => ({
      operation: operation.key,
      tool: nameOf(operation),
      tags: operation.content?.tags ?? [],
      fidelity: fidelityOf(operation),
      selected: selected.has(operation),
      at: operation.at,
      notes: [
        ...(notesOf.get(operation) ?? operation.notes),
        ...(leftOut.has(operation) ? [leftOutNote(operation)] : []),
        ...(held.has(operation) ? [heldNote(operation)] : []),
      ],
    })),
    notes: [...description.notes, ...apiPlan.notes, ...constants.map(constantNote), ...slashesNote(chosen)],
    constants,
    authChoices: description.authChoices,
    ...(description.proposedCredential && { proposedCredential: description.proposedCredential }),
  };
}

function slashesNote(operations: readonly DescribedOperation[]): ImportNote[] {
  const escaped = operations.filter(({ content }) =>
    content?.operation.parameters.some((each) => isPathOfSegments(each) && each.keepSlashes !== true),
  );
  if (escaped.length === 0) return [];
  return [
    {
      code: 'slashes_escaped',
      message: `${escaped.length} ${escaped.length === 1 ? 'operation takes' : 'operations take'} a path as an argument (such as ${escaped[0]!.key}). Its slashes are escaped unless you let them through (--keep-slashes); "." and ".." are refused either way.`,
    },
  ];
}

function constantNote({ name, in: place, operations, of: total, suggestion }: SharedInput): ImportNote {
  return {
    code: 'set_once',
    message: `"${name}" (${place} of ${operations} of ${total} operations) is the same for the whole API: set it once (--fix ${name}=${suggestion ?? 'VALUE'}), and no tool asks for it.`,
  };
}

/** Tells operations whose tool a person deleted, unless this import asks for them by name. */
function leftOutByHand(
  { api }: CurrentState,
  { selection }: PlanOptions,
): (operation: DescribedOperation) => boolean {
  const keys = new Set(api?.source?.leftOut?.map(plainKey));
  if (keys.size === 0) return () => false;
  const isNamed = namesExactly(selection);
  return (operation) => keys.has(plainKey(operation.key)) && !isNamed(operation);
}

// What was asked for by name is forgotten; what this version of the document does not have may come back with the next.
function stillLeftOut(
  description: ApiDescription,
  { api }: CurrentState,
  leftOut: ReadonlySet<DescribedOperation>,
): readonly string[] {
  const before = api?.source?.leftOut ?? [];
  if (before.length === 0 || description.kind === 'handrail') return before;
  const present = new Set(description.operations.map((operation) => plainKey(operation.key)));
  const left = new Set([...leftOut].map((operation) => plainKey(operation.key)));
  return before.filter((key) => left.has(plainKey(key)) || !present.has(plainKey(key)));
}

function leftOutNote(operation: DescribedOperation): ImportNote {
  return {
    code: 'left_out_by_you',
    message: `Left out by you: its tool was deleted by hand. Select it by its name to bring it back (--select '*,${operation.wantedName}').`,
    at: operation.at,
  };
}

function heldNote(operation: DescribedOperation): ImportNote {
  return {
    code: 'tool_unreadable',
    message:
      'Its tool is stored but cannot be read, so it was left as it is. An owner can look at it with "handrail set-aside", and delete it.',
    at: operation.at,
  };
}

// An operation that this version of the document describes but that could not be read is not gone.
function goneTools(
  imported: readonly Tool[],
  kept: ReadonlySet<Tool>,
  chosen: readonly DescribedOperation[],
): ImportPlan['removed'] {
  const unread = new Set(
    chosen.filter((operation) => operation.content === null).map((operation) => operation.key),
  );
  return imported
    .filter((tool) => !kept.has(tool) && !unread.has(tool.source!.operationKey))
    .map((tool) => ({ name: tool.name, operation: tool.source!.operationKey, tool }));
}
