import type { ImportNote } from '../../domain/description.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { type Located, type Place, type Resolver, placeKey } from '../bundle.ts';
import { convertSchema } from './convert-schema.ts';
import { Notes } from '../notes.ts';
import type { Dialect, Direction, SchemaDef, Schemas, Scope } from './schema-scope.ts';
import { trimBothOf } from '../../lib/text/tidy-text.ts';

const inlineBytes = 320;
const defsPrefix = '#/$defs/';

/** Converts a document's schemas to 2020-12 for one direction; shared ones are converted once and passed to each use. */
export class SchemaSet implements Schemas {
  readonly direction: Direction;
  readonly dialect: Dialect;
  readonly resolver: Resolver;
  readonly #defs = new Map<string, SchemaDef>();
  readonly #byName = new Map<string, SchemaDef>();

  constructor(resolver: Resolver, dialect: Dialect, direction: Direction) {
    this.resolver = resolver;
    this.dialect = dialect;
    this.direction = direction;
  }

  newScope(): Scope {
    return {
      notes: new Notes(this.resolver),
      refs: new Set(),
      sameValueRefs: new Set(),
      sameValue: true,
      depth: 0,
      parents: new Set(),
    };
  }

  /** Converts one schema; references become `#/$defs/NAME` and are kept in the scope. */
  convert(schema: Located, scope: Scope): JsonSchema {
    return convertSchema(schema, scope, this);
  }

  /** The shared definition that a reference resolves to; null (with a note) if it cannot be resolved. */
  define(ref: string, from: Place, scope: Scope): SchemaDef | null {
    const target = this.#target(ref, from);
    if ('unresolved' in target) {
      scope.notes.add(
        'reference_unresolved',
        `The reference ${target.unresolved}; any value is accepted there.`,
        from,
      );
      return null;
    }
    const key = placeKey(target.at);
    const known = this.#defs.get(key);
    if (known) return known;
    const own = this.newScope();
    const def: SchemaDef = {
      name: this.#nameFor(target.at),
      schema: {},
      refs: own.refs,
      sameValueRefs: own.sameValueRefs,
      notes: [],
      done: false,
      bytes: 0,
    };
    this.#defs.set(key, def);
    this.#byName.set(def.name, def);
    own.depth = scope.depth;
    own.origin = key;
    def.schema = this.convert(target, own);
    def.notes = own.notes.list();
    def.bytes = JSON.stringify(def.schema).length;
    def.done = true;
    if (reaches(def, def)) {
      def.notes = [
        ...def.notes,
        {
          code: 'reference_endless',
          message: `The schema "${def.name}" refers to itself for the same value; any value is accepted there.`,
          at: this.resolver.show(target.at),
        },
      ];
      def.schema = {};
      def.refs.clear();
      def.sameValueRefs.clear();
    }
    return def;
  }

  /** Whether a definition is small and simple enough to be inlined. */
  inlines(def: SchemaDef): boolean {
    return def.done && def.refs.size === 0 && def.bytes <= inlineBytes;
  }

  definition(ref: string): JsonSchema | null {
    const def = this.#byName.get(ref.slice(defsPrefix.length));
    return def?.done ? def.schema : null;
  }

  refsOf(ref: string): Iterable<SchemaDef> {
    return this.#byName.get(ref.slice(defsPrefix.length))?.refs ?? [];
  }

  // A reference may point to another reference; the last one names the definition.
  #target(ref: string, from: Place): Located | { readonly unresolved: string } {
    let node = this.resolver.resolve(ref, from);
    for (let step = 0; step < 64; step++) {
      if ('unresolved' in node) return node;
      const { value } = node;
      if (!isObject(value) || typeof value['$ref'] !== 'string' || Object.keys(value).length > 1) return node;
      node = this.resolver.resolve(value['$ref'], node.at);
    }
    return { unresolved: 'leads back to itself' };
  }

  #nameFor(at: Place): string {
    const tokens = at.pointer.split('/');
    const last =
      tokens.at(-1) ||
      at.file
        .split('/')
        .at(-1)
        ?.replace(/\.[a-z]+$/i, '') ||
      'Schema';
    const inComponents = tokens.length === 4 || tokens.length === 3 || at.pointer === '';
    const parts = inComponents ? [last] : tokens.slice(-3);
    const clean = parts
      .map((part) =>
        part
          .replaceAll('~1', '_')
          .replaceAll('~0', '_')
          .replace(/%[0-9A-F]{2}/gi, '_')
          .replace(/[^A-Za-z0-9_.-]+/g, '_'),
      )
      .join('_');
    const base = trimBothOf(clean, '_').slice(-80) || 'Schema';
    let name = base;
    for (let n = 2; this.#byName.has(name); n++) name = `${base}_${n}`;
    return name;
  }
}

function reaches(from: SchemaDef, goal: SchemaDef): boolean {
  const seen = new Set<SchemaDef>();
  const open = [...from.sameValueRefs];
  for (let def = open.pop(); def; def = open.pop()) {
    if (def === goal) return true;
    if (seen.has(def)) continue;
    seen.add(def);
    open.push(...def.sameValueRefs);
  }
  return false;
}

/** The definitions that some schemas need, transitively, in order of first use. Stops at `maxBytes`. */
export function closureOf(
  given: Iterable<SchemaDef>,
  maxBytes: number,
  { shortensRoots }: { readonly shortensRoots: boolean },
): { taken: SchemaDef[]; left: Set<SchemaDef>; notes: ImportNote[] } {
  const roots = new Set(given);
  const seen = new Set<SchemaDef>(roots);
  const left = new Set<SchemaDef>();
  const taken: SchemaDef[] = [];
  const notes: ImportNote[] = [];
  let bytes = 0;
  // Adding to a Set while iterating makes it a queue: nearest definitions first.
  for (const def of seen) {
    const isTooLarge = bytes + def.bytes > maxBytes;
    // What the schema is about is still taken, without its prose.
    const kept = shortensRoots && isTooLarge && roots.has(def) ? shapeOf(def) : def;
    if (bytes + kept.bytes > maxBytes) {
      left.add(def);
      continue;
    }
    bytes += kept.bytes;
    taken.push(kept);
    notes.push(...def.notes);
    for (const ref of def.refs) seen.add(ref);
  }
  return { taken, left, notes };
}

const shapeKeywords = new Set([
  '$ref',
  'type',
  'properties',
  'required',
  'items',
  'prefixItems',
  'additionalProperties',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
]);

/** A definition with nothing but the shape of its values; made once. */
function shapeOf(def: SchemaDef): SchemaDef {
  if (def.shape === undefined) {
    const schema = shapeIn(def.schema);
    def.shape = { ...def, schema, bytes: JSON.stringify(schema).length };
  }
  return def.shape;
}

function shapeIn(schema: JsonSchema): JsonSchema {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!shapeKeywords.has(key)) continue;
    if (key === 'properties' && isObject(value))
      kept[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, shapeOrValue(inner)]),
      );
    else if (key === 'enum' || key === 'const' || key === 'required') kept[key] = value;
    else kept[key] = Array.isArray(value) ? value.map(shapeOrValue) : shapeOrValue(value);
  }
  return kept;
}

function shapeOrValue(value: unknown): unknown {
  return isObject(value) ? shapeIn(value) : value;
}

/** Definitions as `$defs`; a reference to one that was left out accepts anything. */
export function defsObject(
  taken: readonly SchemaDef[],
  left: ReadonlySet<SchemaDef>,
): Record<string, JsonSchema> {
  const defs: Record<string, JsonSchema> = {};
  for (const def of taken) defs[def.name] = left.size === 0 ? def.schema : cutRefs(def.schema, left);
  return defs;
}

/** A copy of a schema in which references to the definitions left out accept anything. */
export function cutRefs(schema: JsonSchema, left: ReadonlySet<SchemaDef>): JsonSchema {
  const names = new Set([...left].map((def) => `#/$defs/${def.name}`));
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    return isObject(value) ? walkObject(value) : value;
  };
  const walkObject = (value: PlainObject): PlainObject => {
    const cut = typeof value['$ref'] === 'string' && names.has(value['$ref']);
    const out: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      if (cut && key === '$ref') continue;
      out[key] =
        key === 'enum' || key === 'const' || key === 'default' || key === 'examples' ? inner : walk(inner);
    }
    return out;
  };
  return walkObject(schema);
}
