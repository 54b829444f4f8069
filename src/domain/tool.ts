import { filePlaces, withFileHelp } from './places/file-places.ts';
import {
  choice,
  flag,
  type Infer,
  integer,
  list,
  object,
  optional,
  text,
  withRule,
} from '../lib/schema/schema.ts';
import { readSelect, SelectError } from '../lib/json/select/select-part.ts';
import { splitTemplate } from '../lib/json/text-template.ts';
import type { JsonSchema } from './json-schema.ts';
import { limitOverrides } from './limits.ts';
import { tagText, toolNameText } from './names.ts';
import { operation, type Operation } from './operation.ts';
import { saysDestructive } from './operation-words.ts';
import { idText, maxDescription, rowFields, timeMs } from './fields/row-fields.ts';

/** The maximum tokens of a reply that a model reads; 0 means no limit. */
export const replyTokens = withRule(integer({ min: 0, max: 100_000_000 }), (tokens, report) => {
  if (tokens !== 0 && tokens < minReplyTokens)
    report('', `must be 0 (no limit) or at least ${minReplyTokens}`);
});

/** Hints for the client about what a call does (MCP tool annotations). */
const toolAnnotations = object({
  readOnlyHint: optional(flag()),
  destructiveHint: optional(flag()),
  idempotentHint: optional(flag()),
  openWorldHint: optional(flag()),
});

export type ToolAnnotations = Infer<typeof toolAnnotations>;

/** How a reply becomes the tool's output. */
export const replyMapping = object({
  /** JMESPath or JSON Pointer (starts with `/`) that selects a part of a JSON reply. */
  select: optional(
    withRule(text({ max: 2_000 }), (expression, report) => {
      const fault = selectFault(expression);
      if (fault !== null) report('', fault);
    }),
  ),
  /** Text with `{{path}}` placeholders, filled from the selected value. */
  template: optional(
    withRule(text({ max: 100_000 }), (template, report) => {
      const faults = splitTemplate(template).map((part) =>
        'text' in part ? null : selectFault(part.expression),
      );
      const first = faults.find((fault) => fault !== null);
      if (first !== undefined) report('', first);
    }),
  ),
  /** The maximum text passed to the model; longer replies are truncated at a safe place and say so. */
  maxBytes: optional(integer({ min: 0 })),
  /** The maximum tokens of one reply that a model reads, overriding the server's setting; 0 means no limit. */
  maxTokens: optional(replyTokens),
  /** Whether an HTML page is converted to text, the default, or passed as its source. */
  html: optional(choice('text', 'source')),
  /** Wrap text in a random boundary that marks it as untrusted. */
  wrapUntrusted: optional(flag()),
  /** Report or redact phrases that look like instructions to the model. */
  phrases: optional(choice('off', 'report', 'redact')),
});

export type ReplyMapping = Infer<typeof replyMapping>;

function selectFault(expression: string): string | null {
  try {
    readSelect(expression);
    return null;
  } catch (error) {
    if (error instanceof SelectError) return error.message;
    throw error;
  }
}

/** What happens to secrets in arguments. */
const argumentScrubbing = choice('off', 'redact', 'block');

const contentFields = {
  name: toolNameText,
  title: optional(text({ max: 500 })),
  description: text({ max: maxDescription }),
  tags: list(tagText, { max: 1_000 }),
  annotations: toolAnnotations,
  deprecated: optional(flag()),
  operation,
};

/** The part of a tool that an import can set and people can edit. */
export const toolContent = object(contentFields);

export type ToolContent = Infer<typeof toolContent>;

/**
 * A tool's status relative to its document. Absent in the usual case: the document has it and it is served.
 * `new`, `returned`: an import added it (again), and it is not served until someone approves it.
 * `leaving`: the document dropped it, and it is served until someone approves the removal.
 * `kept`: the document dropped it, and someone decided to keep it.
 * `gone`: the document dropped it. It is invisible, and returns unchanged if the document has it again.
 */
export const toolStandings = ['new', 'returned', 'leaving', 'kept', 'gone'] as const;

/** What an import wrote, kept alongside the current state so that manual edits survive the next import. */
const toolSource = object({
  /** Identifies the operation within its document across versions, such as `GET /users/{id}`. */
  operationKey: text({ max: 40_000 }),
  /** The tool as described at the last import; absent while it is unedited. */
  imported: optional(toolContent),
  /** A newer version that is waiting for approval. */
  pending: optional(toolContent),
  standing: optional(choice(...toolStandings)),
  /** When the document was first found without it; only for a tool that is gone. */
  goneAtMs: optional(timeMs),
});

/** The fields of a tool that its operator sets. */
export const toolFields = {
  ...contentFields,
  reply: replyMapping,
  scrubArguments: optional(argumentScrubbing),
  limits: limitOverrides,
  enabled: flag(),
};

/** What the model sees and calls. Its input schema is derived from the operation, never stored. */
export const tool = object({ ...rowFields, apiId: idText, ...toolFields, source: optional(toolSource) });

export type Tool = Infer<typeof tool>;

/** Whether a tool's document dropped it: then it is remembered, but not shown or served. */
export function isGone({ source }: Pick<Tool, 'source'>): boolean {
  return source?.standing === 'gone';
}

/** What about a tool is waiting for approval: adding it, removing it, or a newer version of it. */
export type Waiting = 'new' | 'returned' | 'leaving' | 'changed';

/** What about a tool is waiting for approval; null if nothing is. */
export function waitingOf({ source }: Pick<Tool, 'source'>): Waiting | null {
  const standing = source?.standing;
  if (standing === 'new' || standing === 'returned' || standing === 'leaving') return standing;
  return source?.pending !== undefined && standing !== 'gone' ? 'changed' : null;
}

/** Whether a tool may be served: it is not gone, and adding it is not waiting for approval. */
export function isApproved({ source }: Pick<Tool, 'source'>): boolean {
  const standing = source?.standing;
  return standing === undefined || standing === 'leaving' || standing === 'kept';
}

/** Only the part of a tool that an import writes. */
export function contentOf(content: ToolContent): ToolContent {
  return {
    name: content.name,
    ...(content.title !== undefined && { title: content.title }),
    description: content.description,
    tags: content.tags,
    annotations: content.annotations,
    ...(content.deprecated !== undefined && { deprecated: content.deprecated }),
    operation: content.operation,
  };
}

/** Annotations that follow from the HTTP method alone (RFC 9110 section 9.2). */
export function annotationsForMethod(method: string): ToolAnnotations {
  switch (method.toUpperCase()) {
    case 'GET':
    case 'HEAD':
    case 'OPTIONS':
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
export function inputSchemaOf(shape: Operation): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const files = filePlaces(shape);
  for (const parameter of shape.parameters) {
    if (parameter.hidden || parameter.fixed !== undefined) continue;
    const schema: Record<string, unknown> = { ...parameter.schema };
    if (parameter.description !== undefined) schema['description'] = parameter.description;
    if (parameter.default !== undefined) schema['default'] = parameter.default;
    properties[parameter.name] = withFileHelp(schema, parameter, files);
    if (parameter.required && parameter.default === undefined) required.push(parameter.name);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(shape.defs && Object.keys(shape.defs).length > 0 && { $defs: shape.defs }),
  };
}

/** The smallest budget in which a long reply can still be described. */
const minReplyTokens = 500;

/** What a tool does: reads, changes or deletes something. */
export const toolKinds = ['read', 'write', 'destructive'] as const;

export type ToolKind = (typeof toolKinds)[number];

/**
 * The kind of a tool: read if it is read-only; destructive if it deletes, or if it is marked so although its method does
 * not imply it or although its name or path says so as well; else write.
 */
export function kindOf(content: Pick<ToolContent, 'name' | 'annotations' | 'operation'>): ToolKind {
  const { annotations, operation: shape } = content;
  if (annotations.readOnlyHint === true) return 'read';
  if (shape.method === 'DELETE') return 'destructive';
  if (annotations.destructiveHint !== true) return 'write';
  // A PUT or PATCH may always overwrite something, so it is marked in any case.
  const isMarked =
    annotationsForMethod(shape.method).destructiveHint !== true ||
    saysDestructive({ method: shape.method, path: shape.path, name: content.name });
  return isMarked ? 'destructive' : 'write';
}
