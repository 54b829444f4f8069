import { maxOperations } from '../../openapi/read-document.ts';
import {
  fidelityOf,
  type ApiDescription,
  type DescribedOperation,
  type ImportNote,
  type SharedInput,
} from '../../domain/description.ts';
import { fitToolName } from '../../domain/names.ts';
import { annotationsForMethod, isGone, type Tool, type ToolContent, kindOf } from '../../domain/tool.ts';
import { createPace } from '../../lib/timing/pace.ts';
import type {
  AddedTool,
  ChangedTool,
  CurrentState,
  ImportPlan,
  PlanOptions,
  RemovedTool,
  ReportLine,
} from './import-plan.ts';
import { giveNames, matchTools, plainKey } from './match-tools.ts';
import { planApi } from './plan-api.ts';
import { holdBack, withoutIdentifyingHeaders } from './hold-back.ts';
import { isPathOfSegments } from './parameter-rules.ts';
import { restoreTool, newTool, planKnown, planReplacement, dropTool } from './plan-tool.ts';
import { importErrors } from '../../domain/error-messages/import.ts';
import { tooManyToRemember } from './decide-waiting.ts';
import { namesExactly, selects } from './select.ts';

// Ten times the largest API we know of. Every list, name and index is rebuilt for new tools.

/**
 * Compares a description with the current state and plans the changes. Pure except for new ids. Comparing a thousand
 * tools takes a while, so it yields to the event loop in between.
 */
export async function planImport(
  described: ApiDescription,
  current: CurrentState,
  options: PlanOptions,
): Promise<Omit<ImportPlan, 'origins'>> {
  const pace = createPace();
  const own = described.kind === 'handrail';
  // Exports are the operator's own; identifying headers in other documents are not.
  const isExport = own || described.kind === 'handsai';
  const description = isExport ? described : withoutIdentifyingHeaders(described, current.api);
  const selection = options.selection ?? current.api?.source?.selection;
  const isSelected = selects(selection);
  const isLeftOut = own ? () => false : leftOutByHand(current, options);
  const leftOut = new Set<DescribedOperation>();
  const chosen = description.operations.filter((operation) => {
    if (!isSelected(operation)) return false;
    if (isLeftOut(operation)) leftOut.add(operation);
    return !leftOut.has(operation);
  });
  if (chosen.length > maxOperations)
    throw importErrors.tooManyOperations({ count: chosen.length, max: maxOperations });
  // Our own export describes every tool completely, including those not created by an import.
  const standing = current.tools.filter((tool) => !isGone(tool));
  const imported = own ? standing : standing.filter((tool) => tool.source !== undefined);
  const gone = current.tools.filter(isGone);
  const matches = matchTools(chosen, [...imported, ...gone]);
  // An unreadable tool is neither changed nor created again under another name.
  const held = new Set(
    chosen.filter(
      (operation) => !matches.has(operation) && current.isNameHeld(fitToolName(operation.wantedName)),
    ),
  );
  await pace();
  const names = giveNames(chosen, matches, standing);
  const apiPlan = planApi(description, current, options, {
    ...(selection && { selection }),
    leftOut: stillLeftOut(description, current, leftOut),
  });
  const approve = options.approveChanges ?? current.api?.source?.approveChanges ?? false;

  const notesOf = new Map<DescribedOperation, readonly ImportNote[]>();
  const watched = (options.watchEveryMs ?? current.api?.source?.watchEveryMs) !== undefined;
  const isNamed = namesExactly(options.selection);
  // Adding an API, or selecting an operation by name, counts as approval.
  const waits = (operation: DescribedOperation, fresh: ToolContent): boolean =>
    current.api !== null && !own && !isNamed(operation) && (approve || (watched && !isRead(fresh)));
  const namesTaken = new Set([...standing.map(({ name }) => name), ...names.values()]);
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
      const pending = waits(operation, fresh);
      added.push({
        name: fresh.name,
        operation: operation.key,
        tool: newTool(fresh, operation, own, apiPlan.api.id, options.nowMs, pending),
        returns: false,
        pending,
      });
      continue;
    }
    if (!own && isGone(tool)) {
      const pending = waits(operation, fresh);
      const back = restoreTool(tool, fresh, operation.key, pending, options.nowMs);
      const name =
        back.name === fresh.name ? back.name : fitToolName(back.name, (one) => namesTaken.has(one));
      namesTaken.add(name);
      added.push({ name, operation: operation.key, tool: { ...back, name }, returns: true, pending });
      continue;
    }
    const change = own
      ? planReplacement(tool, fresh, operation, options.nowMs)
      : planKnown(tool, fresh, operation.key, approve, options.nowMs);
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
  const missing = own ? [] : missingTools(imported, new Set(matches.values()), chosen);
  // A document that lost most of its operations is usually broken.
  const needsApproval = watched && missing.length > imported.length * (options.removesAtMost ?? 1);
  const removed: RemovedTool[] = [];
  for (const tool of missing) {
    const named = { name: tool.name, operation: tool.source!.operationKey };
    if (needsApproval && tool.source!.standing === 'leaving') unchanged.push(named);
    else
      removed.push({
        ...named,
        tool: dropTool(tool, needsApproval, options.nowMs),
        pending: needsApproval,
      });
  }
  const stillGone = new Set(gone);
  for (const tool of matches.values()) stillGone.delete(tool);
  const nowGone = removed.filter(({ pending }) => !pending).map(({ tool }) => tool);
  return {
    ...apiPlan,
    added,
    changed,
    removed,
    // Only removals add to what is remembered.
    forgotten: nowGone.length === 0 ? [] : tooManyToRemember([...stillGone, ...nowGone]),
    unchanged,
    report: description.operations.map((operation) => ({
      operation: operation.key,
      tool: nameOf(operation),
      tags: operation.content?.tags ?? [],
      ...(operation.content && aboutOperation(operation.content)),
      fidelity: fidelityOf(operation),
      selected: selected.has(operation),
      at: operation.at,
      notes: [
        ...(notesOf.get(operation) ?? operation.notes),
        ...(leftOut.has(operation) ? [leftOutNote(operation)] : []),
        ...(held.has(operation) ? [heldNote(operation)] : []),
      ],
    })),
    notes: [
      ...description.notes,
      ...apiPlan.notes,
      ...(needsApproval ? [leavingNote(missing.length, imported.length)] : []),
      ...constants.map(constantNote),
      ...slashesNote(chosen),
    ],
    constants,
    authChoices: description.authChoices,
    ...(description.proposedCredential && { proposedCredential: description.proposedCredential }),
  };
}

const reportedChars = 400;

/** The details of an operation in a report. */
function aboutOperation({
  description,
  operation,
}: ToolContent): Pick<ReportLine, 'description' | 'arguments'> {
  return {
    ...(description !== '' && { description: description.slice(0, reportedChars) }),
    arguments: operation.parameters
      .filter((parameter) => !parameter.hidden && parameter.fixed === undefined)
      .map(({ name, schema, required, default: byItself }) => {
        const type = typeWords(schema['type']);
        return { name, ...(type !== undefined && { type }), required: required && byItself === undefined };
      }),
  };
}

function typeWords(type: unknown): string | undefined {
  if (typeof type === 'string') return type;
  return Array.isArray(type) ? type.join(' or ') : undefined;
}

function leavingNote(missing: number, all: number): ImportNote {
  return {
    code: 'removal_waits',
    message: `The document no longer has ${missing} of the ${all} tools. That is too many to remove automatically from a watched API: they stay until someone approves it.`,
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
      message: `${escaped.length} ${escaped.length === 1 ? 'operation takes' : 'operations take'} a path as an argument (such as ${escaped[0]!.key}). Its slashes are escaped unless you allow them (--keep-slashes); "." and ".." are always rejected.`,
    },
  ];
}

function constantNote({ name, in: place, operations, of: total, suggestion }: SharedInput): ImportNote {
  return {
    code: 'set_once',
    message: `"${name}" (${place} of ${operations} of ${total} ${total === 1 ? 'operation' : 'operations'}) is the same for the whole API: set it once (--fix ${name}=${suggestion ?? 'VALUE'}), and no tool asks for it.`,
  };
}

/** Matches operations whose tool was deleted manually, unless this import selects them by name. */
function leftOutByHand(
  { api }: CurrentState,
  { selection }: PlanOptions,
): (operation: DescribedOperation) => boolean {
  const keys = new Set(api?.source?.leftOut?.map(plainKey));
  if (keys.size === 0) return () => false;
  const isNamed = namesExactly(selection);
  return (operation) => keys.has(plainKey(operation.key)) && !isNamed(operation);
}

// Operations selected by name are removed from the list; those missing from this version of the document stay on it.
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
    message: `Left out: its tool was deleted manually. Select it by name to restore it (--select '*,${operation.wantedName}').`,
    at: operation.at,
  };
}

function heldNote(operation: DescribedOperation): ImportNote {
  return {
    code: 'tool_unreadable',
    message:
      'Its tool is stored but cannot be read, so it was left unchanged. An owner can inspect and delete it with "handrail set-aside".',
    at: operation.at,
  };
}

/** Whether a tool only reads: its method says so, and the document does not say otherwise. */
function isRead(content: ToolContent): boolean {
  return annotationsForMethod(content.operation.method).readOnlyHint === true && kindOf(content) === 'read';
}

/** The tools that the document no longer has, including those whose removal is already pending. */
function missingTools(
  imported: readonly Tool[],
  matched: ReadonlySet<Tool>,
  chosen: readonly DescribedOperation[],
): Tool[] {
  // An operation that is in the document but could not be read is not gone.
  const unread = new Set(
    chosen.filter((operation) => operation.content === null).map((operation) => operation.key),
  );
  return imported.filter(
    (tool) =>
      !matched.has(tool) && tool.source!.standing !== 'kept' && !unread.has(tool.source!.operationKey),
  );
}
