import { isObject } from '../lib/json/plain-object.ts';
import {
  described,
  flag,
  type Infer,
  integer,
  list,
  object,
  optional,
  type Rule,
  text,
  withRule,
} from '../lib/schema/schema.ts';
import { idText, maxDescription, rowFields, timeMs } from './fields/row-fields.ts';
import type { JsonSchema } from './json-schema.ts';
import { toolNameText } from './names.ts';
import { schemaText } from './operation.ts';

/** The maximum length of a script, saved or not. */
export const maxCodeChars = 256 * 1024;

/** How many earlier versions of a composed tool are kept, and their total amount of code. */
export const keptVersions = { count: 50, codeChars: 2_000_000 };

const topKeywords = new Set(['type', 'properties', 'required', '$defs']);

const describesArguments: Rule<JsonSchema> = (schema, report) => {
  if (schema['type'] !== 'object') report('/type', 'must be "object": arguments have names');
  const other = Object.keys(schema).find((keyword) => !topKeywords.has(keyword));
  if (other !== undefined)
    report(
      `/${other.slice(0, 100)}`,
      'is not supported at the top level: arguments are described by "type", "properties", "required" and "$defs"',
    );
  const { properties = {}, required = [], $defs = {} } = schema;
  if (!isObject(properties)) report('/properties', 'must be an object of schemas');
  else
    for (const [name, property] of Object.entries(properties)) {
      const at = `/properties/${name.slice(0, 100)}`;
      if (!isObject(property)) report(at, 'must be a schema');
      else if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
        report(at, 'must have a name of 1 to 64 of A-Z, a-z, 0-9, "_", "." and "-"');
    }
  if (!isObject($defs) || !Object.values($defs).every(isObject))
    report('/$defs', 'must be an object of schemas');
  const names = isObject(properties) ? properties : {};
  if (!Array.isArray(required)) report('/required', 'must be a list of names');
  else if (!required.every((name) => typeof name === 'string' && Object.hasOwn(names, name)))
    report('/required', 'must name properties only');
};

/** The editable fields of a composed tool, which also make up a version. */
export const composedContentFields = {
  name: toolNameText,
  title: optional(text({ max: 500 })),
  description: text({ min: 1, max: maxDescription }),
  inputSchema: described(
    withRule(schemaText, describesArguments),
    'Its arguments, as JSON Schema: an object with properties, required and $defs.',
  ),
  code: described(
    text({ min: 1, max: maxCodeChars }),
    'The body of an async function, in JavaScript or TypeScript; its arguments are in `input`.',
  ),
  /** Its kind is derived from these, so it cannot call anything else. */
  tools: described(list(idText, { max: 500 }), 'Ids of the only tools that its script may call.'),
};

const composedContent = object(composedContentFields);

export type ComposedContent = Infer<typeof composedContent>;

const version = object({
  ...composedContentFields,
  number: integer({ min: 1 }),
  savedAtMs: timeMs,
  savedBy: text({ max: 500 }),
});

/** An earlier version of a composed tool. */
export type ComposedVersion = Infer<typeof version>;

/** A script that an operator saved as a tool of one server. */
export const composedTool = object({
  ...rowFields,
  serverId: idText,
  ...composedContentFields,
  enabled: flag(),
  /** Incremented with every change of its content. */
  version: integer({ min: 1 }),
  savedAtMs: timeMs,
  savedBy: text({ max: 500 }),
  /** Earlier versions, the oldest first. */
  versions: list(version, { max: keptVersions.count }),
});

export type ComposedTool = Infer<typeof composedTool>;

/** The editable part of a composed tool or of a version. */
export function composedContentOf(tool: ComposedContent): ComposedContent {
  return {
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema: tool.inputSchema,
    code: tool.code,
    tools: tool.tools,
  };
}
