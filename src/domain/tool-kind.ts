import { annotationsForMethod, type ToolContent } from './tool.ts';

/** What a call of a tool does to the world: looks, changes, or does away with something. */
export const toolKinds = ['read', 'write', 'destructive'] as const;

export type ToolKind = (typeof toolKinds)[number];

/**
 * The kind of a tool: read when it is read-only; destructive when it deletes, or when it is marked so although its method
 * does not say it; else write.
 */
export function kindOf(tool: Pick<ToolContent, 'annotations' | 'operation'>): ToolKind {
  const { annotations, operation } = tool;
  if (annotations.readOnlyHint === true) return 'read';
  if (operation.method === 'DELETE') return 'destructive';
  const isMarked =
    annotations.destructiveHint === true && annotationsForMethod(operation.method).destructiveHint !== true;
  return isMarked ? 'destructive' : 'write';
}
