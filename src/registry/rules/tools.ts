import { asParsed } from '../../domain/fields/addresses.ts';
import { newId } from '../../domain/ids.ts';
import type { Operation } from '../../domain/operation.ts';
import { annotationsByMeaning } from '../../domain/tool-meaning.ts';
import { contentOf, type Tool } from '../../domain/tool.ts';
import { checkInputSchema } from '../../pipeline/compile.ts';
import { leaveOut } from './apis.ts';
import type { Decision } from '../registry.ts';
import { findApi, findTool, fresh, type Moment, revise } from './find-and-revise.ts';
import { requireFreeToolName } from './reserved-names.ts';
import { dropToolReferences } from './servers.ts';
import type { Snapshot } from '../snapshot.ts';

/** What an operator enters for a new tool; `api` is an ID or slug. */
export type NewTool = Pick<Tool, 'name' | 'description' | 'operation'> & {
  readonly api: string;
} & Partial<Omit<Tool, 'id' | 'apiId' | 'revision' | 'createdAtMs' | 'updatedAtMs'>>;

/** The fields of a tool that can be edited. */
export type ToolPatch = Partial<Omit<Tool, 'id' | 'apiId' | 'revision' | 'createdAtMs' | 'updatedAtMs'>>;

/** Adds a tool to an API. */
export function createTool(snapshot: Snapshot, input: NewTool, moment: Moment): Decision<Tool> {
  const { api: reference, ...given } = input;
  const api = findApi(snapshot, reference);
  requireFreeToolName(input.name, '/name');
  const tool: Tool = {
    tags: [],
    annotations: annotationsByMeaning({ ...input.operation, name: input.name }).annotations,
    reply: {},
    limits: {},
    enabled: true,
    ...given,
    operation: tidyOperation(given.operation),
    ...fresh(newId('tool', moment.nowMs), moment),
    apiId: api.id,
  };
  checkInputSchema(tool.operation);
  return { changes: [{ op: 'put', kind: 'tool', entity: tool }], result: tool };
}

/** Edits a tool. */
export function updateTool(
  snapshot: Snapshot,
  reference: string,
  patch: ToolPatch,
  expectedRevision: number | undefined,
  moment: Moment,
): Decision<Tool> {
  const tidy =
    patch.operation === undefined ? patch : { ...patch, operation: tidyOperation(patch.operation) };
  const current = findTool(snapshot, reference);
  if (patch.name !== current.name) requireFreeToolName(patch.name, '/name');
  const tool = revise(current, { ...keepImported(current), ...tidy }, expectedRevision, moment);
  if (tidy.operation !== undefined) checkInputSchema(tool.operation);
  return { changes: [{ op: 'put', kind: 'tool', entity: tool }], result: tool };
}

// The next import compares with what the last one wrote: from the first edit on, that is stored with the tool.
function keepImported({ source, ...tool }: Tool): ToolPatch {
  return source === undefined || source.imported !== undefined
    ? {}
    : { source: { ...source, imported: contentOf(tool) } };
}

/** Deletes a tool and every reference to it; an import doesn't bring it back. */
export function deleteTool(snapshot: Snapshot, reference: string, moment: Moment): Decision<Tool> {
  const tool = findTool(snapshot, reference);
  const mentions = dropToolReferences(snapshot, new Set([tool.id]), null, moment);
  const unwanted = leaveOut(snapshot, [tool], moment);
  return {
    changes: [...mentions, ...unwanted, { op: 'delete', kind: 'tool', id: tool.id }],
    result: tool,
  };
}

function tidyOperation(operation: Operation): Operation {
  const { baseUrl } = operation;
  return {
    ...operation,
    method: operation.method.toUpperCase(),
    ...(baseUrl !== undefined && { baseUrl: asParsed(baseUrl) }),
  };
}
