import type { JsonSchema } from './json-schema.ts';
import type { LimitOverrides } from './limits.ts';
import type { Operation } from './operation.ts';

/** Hints for the client about what a call does (MCP tool annotations). */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** How a reply becomes the tool's output. */
export interface ReplyMapping {
  /** JMESPath or JSON Pointer (begins with `/`) that picks a part of a JSON reply. */
  readonly select?: string;
  /** Text with `{{path}}` placeholders, filled from the selected value. */
  readonly template?: string;
  /** The most text handed to the model; longer replies are cut at a safe place and say so. */
  readonly maxBytes?: number;
  /** Wrap text in a random boundary that marks it as untrusted. */
  readonly wrapUntrusted?: boolean;
  /** Report or redact phrases that look like instructions to the model. */
  readonly phrases?: 'off' | 'report' | 'redact';
}

/** What an operator decides about secrets in arguments. */
export type ArgumentScrubbing = 'off' | 'redact' | 'block';

/** What an import wrote, kept beside what stands now so that hand edits survive the next import. */
export interface ToolSource {
  /** Names the operation within its document across versions, such as `GET /users/{id}`. */
  readonly operationKey: string;
  /** The tool as the document described it at the last import; absent while it still stands as imported. */
  readonly imported?: ToolContent;
  /** A newer version that waits for approval. */
  readonly pending?: ToolContent;
}

/** The part of a tool that an import can write and a person can edit. */
export interface ToolContent {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly deprecated?: boolean;
  readonly operation: Operation;
}

/** The part of a tool that an import writes, without the rest. */
export function contentOf(tool: ToolContent): ToolContent {
  return {
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    tags: tool.tags,
    annotations: tool.annotations,
    ...(tool.deprecated !== undefined && { deprecated: tool.deprecated }),
    operation: tool.operation,
  };
}

/** What the model sees and calls. Its input schema is derived from the operation, never stored. */
export interface Tool extends ToolContent {
  readonly id: string;
  readonly apiId: string;
  readonly reply: ReplyMapping;
  readonly scrubArguments?: ArgumentScrubbing;
  readonly limits: LimitOverrides;
  readonly enabled: boolean;
  readonly source?: ToolSource;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Annotations that follow from the HTTP method alone (RFC 9110 section 9.2). */
export function annotationsForMethod(method: string): ToolAnnotations {
  switch (method.toUpperCase()) {
    case 'GET':
    case 'HEAD':
    case 'OPTIONS':
    case 'TRACE':
    case 'QUERY':
      return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
    case 'PUT':
    case 'DELETE':
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
    case 'PATCH':
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
    default:
      return { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
  }
}

/** The input schema that the model sees, derived from the operation's visible parameters. */
export function inputSchemaOf(operation: Operation): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const parameter of operation.parameters) {
    if (parameter.hidden || parameter.fixed !== undefined) continue;
    const schema: Record<string, unknown> = { ...parameter.schema };
    if (parameter.description !== undefined) schema['description'] = parameter.description;
    if (parameter.default !== undefined) schema['default'] = parameter.default;
    properties[parameter.name] = schema;
    if (parameter.required && parameter.default === undefined) required.push(parameter.name);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(operation.defs && Object.keys(operation.defs).length > 0 && { $defs: operation.defs }),
  };
}
