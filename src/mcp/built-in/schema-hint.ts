import type { JsonSchema } from '../../domain/json-schema.ts';
import { leanSchema } from '../../listing/lean-schema.ts';
import type { CompiledTool } from '../../pipeline/compiled-tool.ts';
import type { Outcome } from '../../pipeline/call.ts';

// The largest inputs there are take a hundred thousand tokens: beyond this a schema is told in short.
const maxSchema = 40_000;

/** The whole input schema of a tool, as long as it is not longer than any model would take. */
export function wholeSchema({ inputSchema }: CompiledTool): JsonSchema {
  return JSON.stringify(inputSchema).length <= maxSchema
    ? inputSchema
    : leanSchema(inputSchema, maxSchema).schema;
}

/** The schema that follows an argument error, for a model that called the tool through another and never saw it. */
export function schemaHint(outcome: Outcome, tool: CompiledTool): string {
  return outcome.kind === 'failed' && outcome.error.code === 'invalid_arguments'
    ? `\n${schemaText(tool)}`
    : '';
}

export function schemaText(tool: CompiledTool): string {
  return `Its input schema: ${JSON.stringify(wholeSchema(tool))}`;
}
