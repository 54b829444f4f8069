import type { JsonSchema } from '../../domain/json-schema.ts';
import { arrayOr, isObject, objectOr } from '../../lib/json/plain-object.ts';

// Names of properties removed from a schema because of `readOnly` or `writeOnly`. Another schema for the same value, a
// part of an `allOf` or a branch of a union, may still require them, and then no value from a model would be valid.
const hiddenNames = Symbol('hidden names');

interface Converted {
  readonly [hiddenNames]?: Set<string>;
}

/** Marks a converted schema with the properties removed from it; copies and JSON text don't carry the mark. */
export function rememberHidden(schema: Converted, names: Iterable<string>): void {
  const known = schema[hiddenNames];
  if (known) for (const name of names) known.add(name);
  else {
    const added = new Set(names);
    if (added.size > 0) Object.defineProperty(schema, hiddenNames, { value: added, enumerable: false });
  }
}

/** The properties removed from a converted schema. */
export function hiddenFrom(schema: Converted): ReadonlySet<string> {
  return schema[hiddenNames] ?? none;
}

const none: ReadonlySet<string> = new Set();

/** The keywords whose schemas apply to the same value. */
const alike = ['allOf', 'oneOf', 'anyOf'] as const;
const conditional = ['then', 'else'] as const;

/** The properties removed from any schema for the same value, unless another of them still has it. */
export function hiddenTogether(schema: JsonSchema): ReadonlySet<string> {
  const hidden = new Set(hiddenFrom(schema));
  for (const part of sameValueParts(schema)) for (const name of hiddenFrom(part)) hidden.add(name);
  for (const name of Object.keys(objectOr(schema['properties']))) hidden.delete(name);
  return hidden;
}

function sameValueParts(schema: JsonSchema): JsonSchema[] {
  return [
    ...alike.flatMap((key) => arrayOr(schema[key]).filter(isObject)),
    ...conditional.map((key) => schema[key]).filter(isObject),
  ];
}

/**
 * The schema without requiring these properties, also in its parts. `open` resolves a reference; a definition that
 * requires something hidden is inlined. Returns the schema itself if it requires none of them.
 */
export function withoutRequiring(
  schema: JsonSchema,
  names: ReadonlySet<string>,
  open: (ref: string) => JsonSchema | null,
  depth = 6,
): JsonSchema {
  if (names.size === 0 || depth === 0) return schema;
  const own = withoutRequired(schema, names);
  const ref = own['$ref'];
  const target = typeof ref === 'string' ? open(ref) : null;
  let out: Record<string, unknown> = { ...own };
  let changed = own !== schema;
  if (target) {
    const opened = withoutRequiring(target, names, open, depth - 1);
    if (opened !== target) {
      const { $ref: _ref, ...siblings } = own;
      out = { ...opened, ...siblings };
      changed = true;
    }
  }
  const inner = (part: unknown): unknown =>
    isObject(part) ? withoutRequiring(part, names, open, depth - 1) : part;
  for (const key of alike) {
    const parts = out[key];
    if (!Array.isArray(parts)) continue;
    const kept = parts.map(inner);
    if (kept.some((part, i) => part !== parts[i])) {
      out[key] = kept;
      changed = true;
    }
  }
  for (const key of conditional) {
    const kept = inner(out[key]);
    if (kept === out[key]) continue;
    out[key] = kept;
    changed = true;
  }
  return changed ? carryHidden(schema, out) : schema;
}

function withoutRequired(schema: JsonSchema, names: ReadonlySet<string>): JsonSchema {
  const required = schema['required'];
  const isHidden = (name: unknown): name is string => typeof name === 'string' && names.has(name);
  if (!Array.isArray(required) || !required.some(isHidden)) return schema;
  const { required: _required, ...rest } = schema;
  const left = required.filter(
    (name: unknown) => !isHidden(name) || Object.hasOwn(objectOr(schema['properties']), name),
  );
  if (left.length === required.length) return schema;
  return carryHidden(schema, left.length > 0 ? { ...rest, required: left } : rest);
}

/** Copies the mark to a schema that was derived from another. */
export function carryHidden<T extends JsonSchema>(from: JsonSchema, to: T): T {
  rememberHidden(to, hiddenFrom(from));
  return to;
}
