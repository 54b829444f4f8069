import type { Api } from '../domain/api.ts';
import type { ComposedTool } from '../domain/composed-tool.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import type { Parameter } from '../domain/operation.ts';
import { kindOf, type ToolKind, toolKinds, type Tool, type ToolAnnotations } from '../domain/tool.ts';
import { asJson, type JsonSchema } from '../domain/json-schema.ts';
import { compileSchema, SchemaError } from '../lib/json/json-schema.ts';
import { arrayOr, isObject, objectOr, textOr } from '../lib/json/plain-object.ts';
import { compile } from './compile.ts';
import type { CompiledTool } from './compiled-tool.ts';

/** The placeholder API of composed tools; no real API can have this slug. */
export const composedApi: Api = {
  id: 'api_composed',
  revision: 1,
  createdAtMs: 0,
  updatedAtMs: 0,
  slug: 'composed_tools',
  name: 'Composed tools',
  // Never called.
  baseUrl: 'https://composed.handrail.invalid',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
  enabled: true,
};

/** The strongest kind among some tools, which is the kind of a script that may call them. */
export function strongestKind(tools: readonly Pick<Tool, 'name' | 'annotations' | 'operation'>[]): ToolKind {
  return toolKinds[Math.max(0, ...tools.map((tool) => toolKinds.indexOf(kindOf(tool))))]!;
}

/** Compiles a script that was saved as a tool; `parts` are the tools that it may call. */
export function compileComposed(
  composed: ComposedTool,
  parts: readonly Tool[],
  defaults: Limits = defaultLimits,
): CompiledTool {
  return compile(composedApi, asTool(composed, parts), defaults, {
    code: composed.code,
    toolIds: new Set(composed.tools),
  });
}

/** Why an input schema can't be used to check arguments; null if it can. */
export function inputSchemaProblem(inputSchema: JsonSchema): string | null {
  try {
    compileSchema(inputSchema);
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
}

function asTool(composed: ComposedTool, parts: readonly Tool[]): Tool {
  const { id, revision, createdAtMs, updatedAtMs, name, title, description, inputSchema, enabled } = composed;
  const { $defs } = inputSchema;
  return {
    id,
    revision,
    createdAtMs,
    updatedAtMs,
    apiId: composedApi.id,
    name,
    ...(title !== undefined && { title }),
    description,
    tags: [],
    annotations: annotationsFor(strongestKind(parts)),
    operation: {
      method: 'POST',
      // Not a real path, but people and models see it where others show their request path.
      path: `/composed-tools/${name}`,
      parameters: parametersOf(inputSchema),
      ...($defs !== undefined && { defs: definitionsIn($defs) }),
    },
    // Output made from untrusted replies is untrusted too.
    reply: parts.some(({ reply }) => reply.wrapUntrusted === true) ? { wrapUntrusted: true } : {},
    limits: {},
    enabled,
  };
}

function annotationsFor(kind: ToolKind): ToolAnnotations {
  return {
    readOnlyHint: kind === 'read',
    destructiveHint: kind === 'destructive',
    idempotentHint: kind === 'read',
    openWorldHint: true,
  };
}

// The properties of an input schema as parameters of an operation.
function parametersOf(inputSchema: JsonSchema): Parameter[] {
  const required = new Set(arrayOr(inputSchema['required']));
  return Object.entries(objectOr(inputSchema['properties'])).map(([name, property]) => {
    const { description, default: preset, ...schema } = objectOr(property);
    const words = textOr(description);
    return {
      name,
      in: 'body',
      schema,
      required: required.has(name),
      ...(words !== undefined && { description: words }),
      ...(preset !== undefined && { default: asJson(preset) }),
    };
  });
}

function definitionsIn($defs: unknown): Record<string, JsonSchema> {
  const defs: Record<string, JsonSchema> = {};
  for (const [name, schema] of Object.entries(objectOr($defs))) if (isObject(schema)) defs[name] = schema;
  return defs;
}
