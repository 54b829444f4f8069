import type { JsonSchema } from '../domain/json-schema.ts';
import { pointerKeys } from '../lib/json/json-pointer.ts';
import { cutText } from '../lib/text/tidy-text.ts';
import { arrayOr } from '../lib/json/plain-object.ts';

/** An input schema, shortened for a list of tools. */
export interface LeanSchema {
  readonly schema: JsonSchema;
  /** Whether branches or fields were folded away; a description says so where they were. */
  readonly folded: boolean;
}

/** The size limit for a tool's input schema in a list, in characters of JSON. */
export const leanBudget = 4_000;

/** The end of a description where fields are not listed. */
export const foldMark = '(has fields that are not listed here)';

type Node = Record<string, unknown>;

/** How much is left out, from little to much: the first level that fits is used. */
interface Effort {
  /** The longest description by depth: of an argument, of its fields, and deeper. */
  readonly descriptions: readonly [number, number, number];
  /** Longer lists of values become a sentence. */
  readonly values: number;
  /** Fields nested deeper than this are folded if they are optional, or always. */
  readonly optionalDepth: number;
  readonly depth: number;
  /** Optional arguments may be left out completely. */
  readonly dropsArguments?: boolean;
}

const endless = Number.MAX_SAFE_INTEGER;
const efforts: readonly Effort[] = [
  { descriptions: [200, 120, 100], values: 40, optionalDepth: endless, depth: endless },
  { descriptions: [160, 100, 80], values: 20, optionalDepth: endless, depth: endless },
  { descriptions: [200, 120, 60], values: 12, optionalDepth: 5, depth: endless },
  { descriptions: [200, 100, 60], values: 12, optionalDepth: 3, depth: 6 },
  { descriptions: [160, 80, 0], values: 8, optionalDepth: 2, depth: 4 },
  { descriptions: [120, 60, 0], values: 6, optionalDepth: 1, depth: 3 },
  { descriptions: [80, 40, 0], values: 5, optionalDepth: 1, depth: 1 },
  { descriptions: [60, 0, 0], values: 4, optionalDepth: 0, depth: 1 },
  { descriptions: [40, 0, 0], values: 4, optionalDepth: 0, depth: 0 },
  { descriptions: [0, 0, 0], values: 3, optionalDepth: 0, depth: 0, dropsArguments: true },
];

// Keywords that a model doesn't need to fill in an argument, or that would reject more once another part is
// relaxed: negations, conditions, counts of matches, rules for unevaluated parts.
const dropped = new Set([
  'title', '$schema', '$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef', '$recursiveAnchor', '$comment', '$vocabulary',
  'examples', 'example', 'xml', 'externalDocs', 'discriminator', 'readOnly', 'writeOnly', 'contentSchema', 'deprecated',
  'not', 'if', 'then', 'else', 'maxContains', 'unevaluatedProperties', 'unevaluatedItems',
]); // prettier-ignore
const mapsOfSchemas = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const listsOfSchemas = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const schemas = new Set(['items', 'additionalProperties', 'contains', 'propertyNames']);
const keptExtensions = new Set(['x-mcp-header']);
const refPrefix = '#/$defs/';

/**
 * Makes an input schema short enough for a list without rejecting anything it allows: what is relaxed here is
 * still checked against the full schema when a call arrives. Repeated text, unused definitions and examples are
 * dropped first, then deep branches.
 */
export function leanSchema(schema: JsonSchema, budget = leanBudget): LeanSchema {
  for (const effort of efforts) {
    const writing = new SchemaWriter(schema, effort, budget);
    const written = writing.write();
    if (written !== null) return { schema: written, folded: writing.folded };
  }
  const writing = new SchemaWriter(schema, efforts.at(-1)!, endless);
  return { schema: writing.write()!, folded: true };
}

class TooLong extends Error {}

/** One attempt; gives up as soon as it has written more than its budget. */
class SchemaWriter {
  folded = false;
  readonly #root: JsonSchema;
  readonly #defs: Node;
  readonly #effort: Effort;
  #left: number;
  readonly #said = new Set<string>();
  /** The required definitions, by the depth where they were first referenced. */
  readonly #wanted = new Map<string, number>();

  constructor(root: JsonSchema, effort: Effort, budget: number) {
    this.#root = root;
    this.#defs = isNode(root['$defs']) ? root['$defs'] : {};
    this.#effort = effort;
    this.#left = budget;
  }

  write(): JsonSchema | null {
    try {
      const { $defs: _defs, ...plain } = this.#root;
      const root = this.#effort.dropsArguments ? this.#withoutOptional(plain) : plain;
      const written = this.#node(root, 0, true);
      if (root !== plain && this.folded) written['description'] = foldMark;
      const defs: Node = {};
      // A definition may require others; those referenced at the lowest depth come first, so that they are
      // shown in most detail.
      for (let name = this.#nextWanted(defs); name !== undefined; name = this.#nextWanted(defs)) {
        this.#spend(name.length + 6);
        defs[name] = this.#schema(this.#defs[name], this.#wanted.get(name)!, false);
      }
      return Object.keys(defs).length > 0 ? { ...written, $defs: defs } : written;
    } catch (thrown) {
      if (thrown instanceof TooLong) return null;
      throw thrown;
    }
  }

  #nextWanted(done: Node): string | undefined {
    let next: string | undefined;
    for (const [name, depth] of this.#wanted) {
      if (!Object.hasOwn(done, name) && (next === undefined || depth < this.#wanted.get(next)!)) next = name;
    }
    return next;
  }

  // Arguments that aren't listed here are still accepted, because nothing says that there are no others.
  #withoutOptional(root: Node): Node {
    const { properties, required } = root;
    if (
      !isNode(properties) ||
      root['additionalProperties'] !== undefined ||
      root['patternProperties'] !== undefined
    )
      return root;
    const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
    const kept: Node = {};
    let room = 60;
    for (const [name, value] of Object.entries(properties)) {
      if (needed.has(name) || room-- > 0) kept[name] = value;
      else this.folded = true;
    }
    return { ...root, properties: kept };
  }

  #schema(input: unknown, depth: number, optional: boolean): unknown {
    if (!isNode(input)) {
      this.#spend(5);
      return input;
    }
    if (this.#isFolded(input, depth, optional)) return this.#fold(input, depth);
    return this.#node(input, depth, optional);
  }

  #isFolded(node: Node, depth: number, optional: boolean): boolean {
    const { optionalDepth, depth: most } = this.#effort;
    if (depth === 0 || depth <= (optional ? optionalDepth : most)) return false;
    return this.#hasInside(node, new Set());
  }

  /** Whether a schema has its own fields, also behind references and in lists. */
  #hasInside(node: unknown, seen: Set<string>): boolean {
    if (!isNode(node)) return false;
    const ref = node['$ref'];
    if (typeof ref === 'string') {
      if (seen.has(ref)) return true;
      seen.add(ref);
      if (this.#hasInside(this.#resolve(ref), seen)) return true;
    }
    if (isNode(node['properties']) && Object.keys(node['properties']).length > 0) return true;
    const { items, additionalProperties, patternProperties } = node;
    const lists = [...listsOfSchemas].flatMap((keyword) =>
      Array.isArray(node[keyword]) ? (node[keyword] as unknown[]) : [],
    );
    return [
      items,
      additionalProperties,
      ...lists,
      ...(isNode(patternProperties) ? Object.values(patternProperties) : []),
    ].some((inner) => this.#hasInside(inner, seen));
  }

  /** A folded branch: its type, and a note that there is more. */
  #fold(node: Node, depth: number): Node {
    this.folded = true;
    const type = this.#typeOf(node, 0);
    const description = [...this.#description(node['description'], depth), foldMark].join(' ');
    const out: Node = { ...(type !== undefined && { type }), description };
    this.#spend(description.length + 40);
    return out;
  }

  #typeOf(node: unknown, hops: number): unknown {
    if (!isNode(node) || hops > 8) return undefined;
    if (node['type'] !== undefined) return node['type'];
    if (typeof node['$ref'] === 'string') return this.#typeOf(this.#resolve(node['$ref']), hops + 1);
    const { allOf } = node;
    if (Array.isArray(allOf)) {
      for (const part of allOf) {
        const type = this.#typeOf(part, hops + 1);
        if (type !== undefined) return type;
      }
    }
    return undefined;
  }

  #resolve(ref: string): unknown {
    return ref.startsWith(refPrefix) ? this.#defs[defName(ref)] : undefined;
  }

  #node(node: Node, depth: number, optional: boolean): Node {
    const out: Node = {};
    const words: string[] = [];
    const required = new Set(Array.isArray(node['required']) ? (node['required'] as unknown[]) : []);
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === '$defs' || keyword === 'definitions' || dropped.has(keyword)) continue;
      if (keyword.startsWith('x-') && !keptExtensions.has(keyword)) continue;
      if (isUninformative(keyword, value)) continue;
      this.#spend(keyword.length + 4);
      if (keyword === '$ref') this.#writeRef(out, value, depth);
      else if (keyword === 'description') words.unshift(...this.#description(value, depth));
      else if (keyword === 'enum' && Array.isArray(value)) words.push(...this.#values(out, value));
      else if (mapsOfSchemas.has(keyword) && isNode(value))
        out[keyword] = this.#map(value, depth + 1, keyword === 'properties' ? required : null);
      else if (listsOfSchemas.has(keyword) && Array.isArray(value))
        this.#writeList(out, keyword, value, depth, optional);
      else if (schemas.has(keyword)) out[keyword] = this.#schema(value, depth, optional);
      else {
        this.#spend(JSON.stringify(value)?.length ?? 0);
        out[keyword] = value;
      }
    }
    if (words.length === 0) return out;
    const description = words.join(' ');
    this.#spend(description.length);
    return { ...out, description };
  }

  #map(map: Node, depth: number, required: ReadonlySet<unknown> | null): Node {
    const out: Node = {};
    for (const [name, value] of Object.entries(map)) {
      this.#spend(name.length + 4);
      out[name] = this.#schema(value, depth, required !== null && !required.has(name));
    }
    return out;
  }

  // Two relaxed branches may both match where only one did, so `oneOf` becomes `anyOf`.
  #writeList(out: Node, keyword: string, list: readonly unknown[], depth: number, optional: boolean): void {
    const branches = list.map((inner) => this.#schema(inner, depth, optional));
    if (keyword === 'oneOf' && out['anyOf'] === undefined) out['anyOf'] = branches;
    else if (keyword === 'anyOf' && out['anyOf'] !== undefined)
      out['allOf'] = [...arrayOr(out['allOf']), { anyOf: branches }];
    else if (keyword === 'oneOf') out['allOf'] = [...arrayOr(out['allOf']), { anyOf: branches }];
    else if (keyword === 'allOf') out['allOf'] = [...arrayOr(out['allOf']), ...branches];
    else out[keyword] = branches;
  }

  #writeRef(out: Node, ref: unknown, depth: number): void {
    if (typeof ref !== 'string' || !ref.startsWith(refPrefix)) return;
    const name = defName(ref);
    if (!Object.hasOwn(this.#defs, name)) return;
    this.#spend(ref.length + 2);
    const known = this.#wanted.get(name);
    if (known === undefined || depth < known) this.#wanted.set(name, depth);
    out['$ref'] = ref;
  }

  // Text that was already used isn't repeated.
  #description(text: unknown, depth: number): string[] {
    const max = this.#effort.descriptions[Math.min(Math.max(depth - 1, 0), 2)]!;
    const tidy = typeof text === 'string' ? text.trim() : '';
    if (max === 0 || tidy === '' || this.#said.has(tidy)) return [];
    if (tidy.length > 40) this.#said.add(tidy);
    return [cutText(tidy, max)];
  }

  /** Writes values one by one, or as a sentence if there are many; returns the sentence. */
  #values(out: Node, values: readonly unknown[]): string[] {
    const most = this.#effort.values;
    if (values.length <= most) {
      this.#spend(JSON.stringify(values).length);
      out['enum'] = values;
      return [];
    }
    this.folded = true;
    const first = values.slice(0, most).map((value) => JSON.stringify(value));
    return [`One of ${first.join(', ')} and ${values.length - most} more.`];
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TooLong();
  }
}

// Bounds that no value from a model would exceed, and the storage size of a number.
function isUninformative(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'format':
      return value === 'int32' || value === 'int64' || value === 'float' || value === 'double';
    case 'minLength':
      return Number(value) <= 1;
    case 'maxLength':
      return Number(value) >= 1_000;
    case 'minimum':
      return Number(value) <= -(2 ** 31);
    case 'maximum':
      return Number(value) >= 2 ** 31 - 1;
    case 'additionalProperties':
      return value === true;
    default:
      return false;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function defName(ref: string): string {
  return pointerKeys(ref.slice(refPrefix.length)).join('/');
}
