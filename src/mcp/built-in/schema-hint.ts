import type { JsonSchema } from '../../domain/json-schema.ts';
import { leanSchema } from '../../listing/lean-schema.ts';
import type { CompiledTool } from '../../pipeline/compiled-tool.ts';
import type { Outcome } from '../../pipeline/call.ts';

// The largest input schemas take a hundred thousand tokens: above this limit a schema is shortened.
const maxSchemaLength = 40_000;

/** The input schema of a tool, shortened only if it is too long for any model. */
export function wholeSchema({ inputSchema }: CompiledTool): JsonSchema {
  return JSON.stringify(inputSchema).length <= maxSchemaLength
    ? inputSchema
    : leanSchema(inputSchema, maxSchemaLength).schema;
}

/** The schema that follows an argument error, for a model that called the tool indirectly and never saw it. */
export function schemaHint(outcome: Outcome, tool: CompiledTool): string {
  return outcome.kind === 'failed' && outcome.error.code === 'invalid_arguments'
    ? `\n${schemaText(tool)}`
    : '';
}

export function schemaText(tool: CompiledTool): string {
  return `Its input schema: ${JSON.stringify(wholeSchema(tool))}`;
}
