import type { JsonSchema } from '../domain/json-schema.ts';
import type { Tool, ToolAnnotations } from '../domain/tool.ts';
import { leanSchema } from './lean-schema.ts';

/** The parts of a tool that a list entry is made from. */
export interface Listable {
  /** The name and description on one server. */
  readonly name: string;
  readonly description: string;
  readonly compiled: {
    readonly tool: Tool;
    readonly inputSchema: JsonSchema;
    readonly outputSchema: JsonSchema | null;
  };
}

/** A tool as a list shows it. */
export interface ListEntry {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
}

/** Creates the list entry of a tool: with a short input schema, and with an output schema only if requested. */
export function listEntryOf(listed: Listable, withOutputSchema: boolean): ListEntry {
  const entry = wholeEntryOf(listed, withOutputSchema);
  return { ...entry, inputSchema: leanSchema(entry.inputSchema).schema };
}

/** The entry of a tool with its full input schema. */
export function wholeEntryOf(
  { name, description, compiled }: Listable,
  withOutputSchema: boolean,
): ListEntry {
  const { tool, inputSchema, outputSchema } = compiled;
  return {
    name,
    ...(tool.title !== undefined && tool.title !== description && { title: tool.title }),
    description,
    inputSchema,
    ...(withOutputSchema && outputSchema && { outputSchema }),
    annotations: { ...tool.annotations },
  };
}
