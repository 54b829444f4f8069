import type { JsonSchema } from '../../domain/json-schema.ts';
import { arrayOr, isObject, textOr, textsIn, type PlainObject } from '../../lib/json/plain-object.ts';
import { saysTheSame, tidyText, visible } from '../../lib/text/tidy-text.ts';
import { below, type Located, type Place } from '../bundle.ts';
import { convertChild, type SchemaDef, type Schemas, type Scope } from './schema-scope.ts';
import { addEnum } from './convert-enum.ts';
import { openClosedParts, mergeAllOf } from './merge-all-of.ts';
import { addProperties } from './convert-properties.ts';
import { addUnions } from './convert-union.ts';
import { addDiscriminator, listedBy } from './discriminator.ts';
import {
  carryHidden,
  hiddenFrom,
  hiddenTogether,
  rememberHidden,
  withoutRequiring,
} from './hidden-properties.ts';
import { portablePattern } from './pattern.ts';
import { standardType } from './schema-types.ts';

const maxDepth = 120;
const maxDescription = 600;
const maxExampleBytes = 200;

type Draft = Record<string, unknown>;

/** Converts one schema of a document to JSON Schema 2020-12. Keywords with invalid values are left out with a note. */
export function convertSchema(schema: Located, scope: Scope, set: Schemas): JsonSchema {
  const { value, at } = schema;
  if (value === true || value === undefined) return {};
  if (value === false) return { not: {} };
  if (!isObject(value)) {
    scope.notes.add('schema_invalid', 'A schema must be an object; any value is accepted there.', at);
    return {};
  }
  if (scope.depth >= maxDepth) {
    scope.notes.add(
      'schema_too_deep',
      `The schema is nested deeper than ${maxDepth} levels; any value is accepted below.`,
      at,
    );
    return {};
  }
  scope.depth++;
  // A dynamic anchor that is not overridden acts as a plain one, and a document cannot override it from outside.
  const ref = value['$ref'] ?? (set.dialect === '3.1' ? value['$dynamicRef'] : undefined);
  const converted =
    typeof ref === 'string'
      ? convertReference(value, ref, at, scope, set)
      : convertKeywords(value, at, scope, set);
  scope.depth--;
  return converted;
}

// Before 3.1 a reference's siblings had no effect; descriptions are kept anyway, because they help the model.
function convertReference(
  value: PlainObject,
  ref: string,
  at: Place,
  scope: Scope,
  set: Schemas,
): JsonSchema {
  const siblings: Draft = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' || key === '$dynamicRef') continue;
    if (set.dialect === '3.1' || key === 'description' || key === 'deprecated' || key === 'default')
      siblings[key] = inner;
  }
  const own = Object.keys(siblings).length > 0 ? convertKeywords(siblings, at, scope, set) : {};
  const target = refer(ref, at, scope, set);
  const nullable = value['nullable'] === true || value['x-nullable'] === true;
  const whole =
    target['$ref'] === undefined ? mergeSiblings(own, target) : carryHidden(target, { ...own, ...target });
  return nullable ? orNull(whole) : whole;
}

function mergeSiblings(siblings: JsonSchema, target: JsonSchema): JsonSchema {
  if (Object.keys(siblings).length === 0) return target;
  return mergeAllOf([target, siblings]);
}

/** A reference to a shared definition, or the definition itself if it is small. */
function refer(ref: string, at: Place, scope: Scope, set: Schemas): JsonSchema {
  const def = set.define(ref, at, scope);
  if (!def) return {};
  if (set.inlines(def)) {
    scope.notes.addAll(def.notes);
    return def.schema;
  }
  keepReference(def, scope);
  return carryHidden(def.schema, { $ref: `#/$defs/${def.name}` });
}

function keepReference(def: SchemaDef, scope: Scope): void {
  scope.refs.add(def);
  if (scope.sameValue) scope.sameValueRefs.add(def);
}

function convertKeywords(value: PlainObject, at: Place, scope: Scope, set: Schemas): JsonSchema {
  const out: Draft = {};
  const inner = (key: string, item?: number): JsonSchema =>
    item === undefined
      ? convertChild(value[key], below(at, key), scope, set)
      : convertChild(arrayOr(value[key])[item], below(at, key, item), scope, set);
  const invalid = (key: string): void => {
    scope.notes.add(
      'schema_keyword_invalid',
      `The keyword "${key}" has an invalid value and is not checked.`,
      below(at, key),
    );
  };

  addTypes(value, out, at, scope);
  addText(value, out);
  addNumbers(value, out, invalid);
  addEnum(value, out, at, scope);

  const pattern = value['pattern'];
  if (typeof pattern === 'string') {
    const portable = portablePattern(pattern);
    if (portable === null)
      scope.notes.add(
        'pattern_dropped',
        `The pattern ${JSON.stringify(pattern.slice(0, 80))} is not a valid regular expression and is not checked.`,
        at,
      );
    else out['pattern'] = portable;
  } else if (pattern !== undefined) invalid('pattern');

  if (Object.hasOwn(value, 'const') && set.dialect === '3.1' && isJson(value['const']))
    out['const'] = visible(value['const']);
  if (typeof value['format'] === 'string') out['format'] ??= value['format'];
  if (value['format'] === 'binary') {
    // JSON cannot contain bytes: the argument is text that represents them.
    delete out['format'];
    out['contentEncoding'] = 'base64';
  }
  for (const key of ['contentEncoding', 'contentMediaType'])
    if (typeof value[key] === 'string') out[key] = value[key];
  if (typeof value['uniqueItems'] === 'boolean' && value['uniqueItems']) out['uniqueItems'] = true;
  if (value['deprecated'] === true) out['deprecated'] = true;

  addProperties(value, out, at, scope, set);
  addItems(value, out, inner, invalid);

  for (const key of ['contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'] as const) {
    if (set.dialect === '3.1' && value[key] !== undefined) out[key] = inner(key);
  }
  for (const key of ['not', 'if', 'then', 'else'] as const) {
    if (value[key] !== undefined && (key === 'not' || set.dialect === '3.1'))
      out[key] = sameValue(value[key], below(at, key), scope, set);
  }
  if (set.dialect === '3.1') addDependents(value, out, at, scope, set, invalid);

  addUnions(value, out, at, scope, set, invalid);
  let result: JsonSchema = addAllOf(value, out, at, scope, set, invalid);
  result = carryHidden(result, addDiscriminator(value, result));
  const hidden = hiddenTogether(result);
  if (hidden.size > 0) {
    result = withoutRequiring(result, hidden, (ref) => openDefinition(ref, scope, set));
    rememberHidden(result, hidden);
  }
  if (value['nullable'] === true || value['x-nullable'] === true) result = orNull(result);
  return result;
}

// An inlined definition needs the definitions that it refers to.
function openDefinition(ref: string, scope: Scope, set: Schemas): JsonSchema | null {
  const schema = set.definition(ref);
  if (schema) for (const def of set.refsOf(ref)) keepReference(def, scope);
  return schema;
}

function sameValue(value: unknown, at: Place, scope: Scope, set: Schemas): JsonSchema {
  return set.convert({ value, at }, scope);
}

function addTypes(value: PlainObject, out: Draft, at: Place, scope: Scope): void {
  const given = value['type'];
  if (given === undefined || given === null) {
    if (isObject(value['properties'])) out['type'] = 'object';
    // Next to alternatives, `items` applies only to those that are lists, and they declare their own types.
    else if (isObject(value['items']) && value['oneOf'] === undefined && value['anyOf'] === undefined)
      out['type'] = 'array';
    return;
  }
  const words = Array.isArray(given) ? given : [given];
  const types: string[] = [];
  for (const word of words) {
    const type = typeof word === 'string' ? standardType(word) : word === null ? { type: 'null' } : null;
    if (type === null || type.guessed) {
      const read = type?.type ? `is read as "${type.type}"` : 'is not checked';
      scope.notes.add(
        'type_unknown',
        `The type ${JSON.stringify(word)} is not in the specification; it ${read}.`,
        at,
      );
    }
    if (type?.type && !types.includes(type.type)) types.push(type.type);
    if (type?.format === 'binary') out['contentEncoding'] = 'base64';
    else if (type?.format) out['format'] = type.format;
    if (type && type.type === null) return;
  }
  // `integer` is redundant next to `number`, and some validators reject the pair.
  const plain = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  if (plain.length === 1) out['type'] = plain[0];
  else if (plain.length > 1) out['type'] = plain;
}

function addText(value: PlainObject, out: Draft): void {
  const title = tidyText(textOr(value['title']) ?? '', 120);
  const description = tidyText(textOr(value['description']) ?? '', maxDescription);
  if (title !== '' && !saysTheSame(title, description)) out['title'] = title;
  if (description !== '') out['description'] = description;
  if (value['default'] !== undefined && isJson(value['default'])) out['default'] = visible(value['default']);
  const examples = Array.isArray(value['examples'])
    ? value['examples']
    : value['example'] !== undefined
      ? [value['example']]
      : [];
  const kept = examples
    .slice(0, 3)
    .filter(
      (example) =>
        example !== undefined &&
        isJson(example) &&
        (JSON.stringify(example)?.length ?? Infinity) <= maxExampleBytes,
    );
  if (kept.length > 0) out['examples'] = kept.map(visible);
}

// `1e999` and YAML's `.inf` parse as a number that JSON cannot represent.
function isJson(value: unknown): boolean {
  return typeof value !== 'number' || Number.isFinite(value);
}

const counts = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];

function addNumbers(value: PlainObject, out: Draft, invalid: (key: string) => void): void {
  for (const key of counts) {
    if (value[key] === undefined || value[key] === null) continue;
    const number = numberOf(value[key]);
    if (number !== null && Number.isInteger(number) && number >= 0) out[key] = number;
    else invalid(key);
  }
  const bounds: Draft = {};
  for (const key of ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']) {
    const given = value[key];
    if (given === undefined || given === null || typeof given === 'boolean') continue;
    const number = numberOf(given);
    if (number === null || (key === 'multipleOf' && number <= 0)) invalid(key);
    else bounds[key] = number;
  }
  // Draft 4 has "exclusive" as a flag next to the bound.
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (value[flag] === true && bounds[bound] !== undefined) {
      bounds[flag] = bounds[bound];
      delete bounds[bound];
    }
  }
  Object.assign(out, bounds);
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function addItems(
  value: PlainObject,
  out: Draft,
  inner: (key: string, item?: number) => JsonSchema,
  invalid: (key: string) => void,
): void {
  const { items, prefixItems } = value as { items?: unknown; prefixItems?: unknown };
  if (Array.isArray(prefixItems) && prefixItems.length > 0) {
    out['prefixItems'] = prefixItems.map((_, i) => inner('prefixItems', i));
  }
  if (Array.isArray(items)) {
    // Draft 4 wrote tuples this way.
    if (items.length > 0) out['prefixItems'] = items.map((_, i) => inner('items', i));
  } else if (isObject(items) || typeof items === 'boolean') {
    if (items !== true) out['items'] = inner('items');
  } else if (items !== undefined && items !== null) invalid('items');
}

function addDependents(
  value: PlainObject,
  out: Draft,
  at: Place,
  scope: Scope,
  set: Schemas,
  invalid: (key: string) => void,
): void {
  const schemas = value['dependentSchemas'];
  if (isObject(schemas)) {
    const kept: Draft = {};
    for (const [name, schema] of Object.entries(schemas))
      kept[name] = sameValue(schema, below(at, 'dependentSchemas', name), scope, set);
    out['dependentSchemas'] = kept;
  }
  const required = value['dependentRequired'];
  if (isObject(required)) {
    const lists = Object.entries(required).map(([name, given]) => ({ name, given, names: textsIn(given) }));
    if (lists.every(({ given, names }) => Array.isArray(given) && given.length === names.length))
      out['dependentRequired'] = Object.fromEntries(
        lists.map(({ name, names }) => [name, [...new Set(names)]]),
      );
    else invalid('dependentRequired');
  }
}

function addAllOf(
  value: PlainObject,
  out: Draft,
  at: Place,
  scope: Scope,
  set: Schemas,
  invalid: (key: string) => void,
): JsonSchema {
  const parts = value['allOf'];
  if (parts === undefined || parts === null) return out;
  if (!Array.isArray(parts)) {
    invalid('allOf');
    return out;
  }
  const converted: JsonSchema[] = [];
  for (const [i, part] of parts.entries()) {
    const place = below(at, 'allOf', i);
    const parent = isObject(part) && scope.sameValue ? listedBy(part, place, scope, set) : null;
    if (parent) {
      scope.parents.add(parent.key);
      converted.push(sameValue(parent.value, parent.at, scope, set));
      scope.parents.delete(parent.key);
      continue;
    }
    const ref =
      isObject(part) && typeof part['$ref'] === 'string' && Object.keys(part).length === 1
        ? part['$ref']
        : undefined;
    const def = ref === undefined ? undefined : set.define(ref, place, scope);
    if (ref === undefined || def === undefined) {
      converted.push(sameValue(part, place, scope, set));
    } else if (def !== null) {
      if (parts.length + Object.keys(out).length > 1 && def.done && isPlainObjectSchema(def.schema)) {
        // Merged in: its own references are needed, the definition itself is not.
        scope.notes.addAll(def.notes);
        for (const used of def.refs) scope.refs.add(used);
        for (const used of def.sameValueRefs) if (scope.sameValue) scope.sameValueRefs.add(used);
        converted.push(def.schema);
      } else converted.push(refer(ref, place, scope, set));
    }
  }
  const opened = openClosedParts([...converted, out], (ref) => openDefinition(ref, scope, set));
  if (opened)
    scope.notes.add(
      'all_of_closed',
      'Parts of "allOf" forbid each other\'s properties, so that no value would be valid; other properties are allowed there.',
      below(at, 'allOf'),
    );
  const merged = mergeAllOf(opened ?? [...converted, out]);
  rememberHidden(merged, hiddenFrom(out));
  return merged;
}

// Whether merging is worthwhile: an object with properties and no keyword that depends on others.
function isPlainObjectSchema(schema: JsonSchema): boolean {
  return (schema['type'] === 'object' || schema['type'] === undefined) && schema['$ref'] === undefined;
}

/** The schema, or null. */
function orNull(schema: JsonSchema): JsonSchema {
  return carryHidden(schema, withNull(schema));
}

function withNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (
    schema['$ref'] === undefined &&
    type !== undefined &&
    schema['allOf'] === undefined &&
    schema['oneOf'] === undefined &&
    schema['anyOf'] === undefined
  ) {
    const types = Array.isArray(type) ? type : [type];
    const out: Draft = { ...schema, type: types.includes('null') ? type : [...types, 'null'] };
    if (Array.isArray(out['enum']) && !out['enum'].includes(null)) out['enum'] = [...out['enum'], null];
    return out;
  }
  const { title, description, default: standard, deprecated, ...rest } = schema;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
    ...(deprecated !== undefined && { deprecated }),
    anyOf: [
      ...(Array.isArray(rest['anyOf']) && Object.keys(rest).length === 1 ? rest['anyOf'] : [rest]),
      { type: 'null' },
    ],
  };
}
