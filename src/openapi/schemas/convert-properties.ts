import { arrayOr, isObject, objectOr, type PlainObject } from '../../lib/json/plain-object.ts';
import { below, type Place } from '../bundle.ts';
import { convertChild, type Schemas, type Scope } from './schema-scope.ts';
import { rememberHidden } from './hidden-properties.ts';
import { portablePattern } from './pattern.ts';

type Draft = Record<string, unknown>;

/** Adds `properties`, `required` and the rules for other names. Properties of only the other direction are left out. */
export function addProperties(value: PlainObject, out: Draft, at: Place, scope: Scope, set: Schemas): void {
  const flag = set.direction === 'input' ? 'readOnly' : 'writeOnly';
  const hidden = new Set<string>();
  const requiredByFlag: string[] = [];
  const given = value['properties'];
  const properties: Draft = {};
  const isReference = isObject(given) && set.direction === 'input' && refersOnly(given);
  if (isObject(given)) {
    for (const [name, schema] of Object.entries(given)) {
      if (name === '__proto__') {
        scope.notes.add(
          'property_dropped',
          'A property named "__proto__" is left out.',
          below(at, 'properties'),
        );
        continue;
      }
      const isKept = isReference && identifying.has(name);
      if (!isKept && isObject(schema) && hasFlag(schema, flag, below(at, 'properties', name), set)) {
        hidden.add(name);
        continue;
      }
      // A vendor extension among the properties is not a property.
      if (!isObject(schema) && typeof schema !== 'boolean' && name.startsWith('x-')) continue;
      if (isObject(schema) && schema['required'] === true) requiredByFlag.push(name);
      properties[name] = convertChild(schema, below(at, 'properties', name), scope, set);
    }
    out['properties'] = properties;
  } else if (given !== undefined && given !== null) {
    scope.notes.add(
      'schema_keyword_invalid',
      'The keyword "properties" must be an object; it is left out.',
      below(at, 'properties'),
    );
  }
  addRequired(value, requiredByFlag, hidden, out);
  addOtherNames(value, out, at, scope, set);
  rememberHidden(out, hidden);
  // `readOnly` properties should not be sent, but that is not forbidden, and documents' own examples have them.
  if (hidden.size > 0 && (out['additionalProperties'] ?? true) !== true)
    for (const name of hidden) properties[name] = { [flag]: true };
}

// What says which thing a reference is to.
const identifying = new Set(['id', 'uuid', 'type']);

/**
 * Whether an object does nothing but refer to another one: apart from its ID and type, everything in it is read-only.
 * Without its ID it could not be sent at all.
 */
function refersOnly(properties: PlainObject): boolean {
  const isReadOnly = (schema: unknown) => isObject(schema) && schema['readOnly'] === true;
  const names = Object.keys(properties);
  const hasReadOnlyId = ['id', 'uuid'].some((name) => isReadOnly(properties[name]));
  return (
    hasReadOnlyId &&
    names.includes('type') &&
    names.every((name) => identifying.has(name) || isReadOnly(properties[name]))
  );
}

function addRequired(
  value: PlainObject,
  requiredByFlag: readonly string[],
  hidden: ReadonlySet<string>,
  out: Draft,
): void {
  const names = [...arrayOr(value['required']), ...requiredByFlag].filter(
    (name): name is string => typeof name === 'string' && name !== '__proto__' && !hidden.has(name),
  );
  if (names.length > 0) out['required'] = [...new Set(names)];
}

// The rules for properties without their own schema.
function addOtherNames(value: PlainObject, out: Draft, at: Place, scope: Scope, set: Schemas): void {
  const additional = value['additionalProperties'];
  if (additional === false || additional === 'false') out['additionalProperties'] = false;
  else if (isObject(additional)) {
    const schema = convertChild(additional, below(at, 'additionalProperties'), scope, set);
    out['additionalProperties'] = Object.keys(schema).length > 0 ? schema : true;
  } else if (additional === true || additional === 'true') out['additionalProperties'] = true;

  const patterns = value['patternProperties'] ?? value['x-patternProperties'];
  if (isObject(patterns)) {
    const kept: Draft = {};
    for (const [pattern, schema] of Object.entries(patterns)) {
      const portable = pattern === '__proto__' ? null : portablePattern(pattern);
      if (portable === null) {
        scope.notes.add(
          'pattern_dropped',
          `The property pattern ${JSON.stringify(pattern.slice(0, 80))} is not a valid regular expression and is left out.`,
          at,
        );
        // Names that the pattern allowed must not be rejected now.
        delete out['additionalProperties'];
      } else kept[portable] = convertChild(schema, below(at, 'patternProperties', pattern), scope, set);
    }
    if (Object.keys(kept).length > 0) out['patternProperties'] = kept;
  }
}

// `readOnly` may be on the property, on the schema it refers to, or on a part of that.
function hasFlag(schema: PlainObject, flag: string, at: Place, set: Schemas, depth = 4): boolean {
  if (schema[flag] === true) return true;
  const target = typeof schema['$ref'] === 'string' ? set.resolver.follow({ value: schema, at }) : null;
  if (target && 'unresolved' in target) return false;
  const found = { value: target ? objectOr(target.value) : schema, at: target?.at ?? at };
  if (found.value[flag] === true) return true;
  if (depth === 0) return false;
  return arrayOr(found.value['allOf']).some(
    (part, i) => isObject(part) && hasFlag(part, flag, below(found.at, 'allOf', i), set, depth - 1),
  );
}
