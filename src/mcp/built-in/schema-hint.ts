import type { Problem } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { pointerKeys } from '../../lib/json/json-pointer.ts';
import { arrayOr, objectOr } from '../../lib/json/plain-object.ts';
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
  if (outcome.kind !== 'failed' || outcome.error.code !== 'invalid_arguments') return '';
  const failing = failingPart(tool.inputSchema, outcome.error.details.problems ?? []);
  if (JSON.stringify(tool.inputSchema).length <= maxWholeHint) return `\n${schemaText(tool)}`;
  return failing === null
    ? ''
    : `\nThe part of its input schema that this is about: ${JSON.stringify(leanSchema(failing, maxPartHint).schema)}`;
}

// A short schema is the best hint; of a long one only what failed is shown.
const maxWholeHint = 1_000;
const maxPartHint = 2_000;

/** The arguments that problems are about, as a schema of their own; null if none of them is in the schema. */
function failingPart(schema: JsonSchema, problems: readonly Problem[]): JsonSchema | null {
  const properties = objectOr(schema['properties']);
  const names = [...new Set(problems.flatMap(({ path }) => pointerKeys(path).slice(0, 1)))].filter((name) =>
    Object.hasOwn(properties, name),
  );
  if (names.length === 0) return null;
  const required = arrayOr(schema['required']).filter((name) => names.some((failing) => failing === name));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(required.length > 0 && { required }),
    ...(schema['$defs'] !== undefined && { $defs: schema['$defs'] }),
  };
}

export function schemaText(tool: CompiledTool): string {
  return `Its input schema: ${JSON.stringify(wholeSchema(tool))}`;
}
