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

/** The longest script, saved or not. */
export const maxCodeChars = 256 * 1024;

/** How many earlier versions of a composed tool are kept, and how much code of theirs. */
export const keptVersions = { count: 50, codeChars: 2_000_000 };

const topKeywords = new Set(['type', 'properties', 'required', '$defs']);

const describesArguments: Rule<JsonSchema> = (schema, tell) => {
  if (schema['type'] !== 'object') tell('/type', 'must be "object": arguments have names');
  const other = Object.keys(schema).find((keyword) => !topKeywords.has(keyword));
  if (other !== undefined)
    tell(
      `/${other.slice(0, 100)}`,
      'is not understood at the top: arguments are told by "type", "properties", "required" and "$defs"',
    );
  const { properties = {}, required = [], $defs = {} } = schema;
  if (!isObject(properties)) tell('/properties', 'must be an object of schemas');
  else
    for (const [name, property] of Object.entries(properties)) {
      const at = `/properties/${name.slice(0, 100)}`;
      if (!isObject(property)) tell(at, 'must be a schema');
      else if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
        tell(at, 'must have a name of 1 to 64 of A-Z, a-z, 0-9, "_", "." and "-"');
    }
  if (!isObject($defs) || !Object.values($defs).every(isObject))
    tell('/$defs', 'must be an object of schemas');
  const names = isObject(properties) ? properties : {};
  if (!Array.isArray(required)) tell('/required', 'must be a list of names');
  else if (!required.every((name) => typeof name === 'string' && Object.hasOwn(names, name)))
    tell('/required', 'must name properties only');
};

/** What a person writes of a composed tool, and what a version of it is. */
export const composedContentFields = {
  name: toolNameText,
  title: optional(text({ max: 500 })),
  description: text({ min: 1, max: maxDescription }),
  inputSchema: described(
    withRule(schemaText, describesArguments),
    'What it takes, as JSON Schema: an object with properties, required and $defs.',
  ),
  code: described(
    text({ min: 1, max: maxCodeChars }),
    'The body of an async function, in JavaScript or TypeScript; its arguments are in `input`.',
  ),
  /** Its kind follows from these, so nothing else can be called from it. */
  tools: described(list(idText, { max: 500 }), 'Ids of the tools that its script may call, and no others.'),
};

const composedContent = object(composedContentFields);

export type ComposedContent = Infer<typeof composedContent>;

const version = object({
  ...composedContentFields,
  number: integer({ min: 1 }),
  savedAtMs: timeMs,
  savedBy: text({ max: 500 }),
});

/** A composed tool as it once was. */
export type ComposedVersion = Infer<typeof version>;

/** A script that an operator saved as a tool of one server. */
export const composedTool = object({
  ...rowFields,
  serverId: idText,
  ...composedContentFields,
  enabled: flag(),
  /** Counted up whenever what it is changes. */
  version: integer({ min: 1 }),
  savedAtMs: timeMs,
  savedBy: text({ max: 500 }),
  /** Earlier versions, the oldest first. */
  versions: list(version, { max: keptVersions.count }),
});

export type ComposedTool = Infer<typeof composedTool>;

/** The part of a composed tool, or of a version, that a person writes. */
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
