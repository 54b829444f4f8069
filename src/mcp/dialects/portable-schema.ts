import type { JsonSchema } from '../../domain/json-schema.ts';
import { arrayOr, fieldOf, isObject, objectOr, textsIn } from '../../lib/json/plain-object.ts';

/** One change made by a dialect: where (a JSON Pointer into the tool) and what it was. */
export interface DialectChange {
  readonly path: string;
  readonly change: string;
}

/** What a dialect removes in addition to what every portable schema removes. */
export interface PortableRules {
  /** Formats that are kept; others are dropped. */
  readonly formats: ReadonlySet<string>;
  /** Keywords that are dropped in addition to those that are always dropped. */
  readonly without: ReadonlySet<string>;
}

type Node = Record<string, unknown>;

const maxDepth = 24;
const maxNodes = 5_000;
const maxRefRepeats = 2;

// Annotations and vocabulary that no model needs and that some readers reject.
const dropped = new Set([
  '$schema', '$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef', '$recursiveAnchor', '$comment', '$vocabulary',
  'examples', 'example', 'readOnly', 'writeOnly', 'xml', 'externalDocs', 'discriminator', 'nullable', 'contentEncoding',
  'contentMediaType', 'contentSchema', 'unevaluatedProperties', 'unevaluatedItems', 'patternProperties', 'propertyNames',
  'dependentRequired', 'dependentSchemas', 'dependencies', 'if', 'then', 'else', 'not', 'contains', 'minContains', 'maxContains',
]); // prettier-ignore

/**
 * Rewrites a schema to the subset of JSON Schema that every known client and model reads: no references, no type
 * arrays, no `oneOf`, no null unions, no `allOf`. Calls are still validated against the original schema.
 */
export function toPortableSchema(
  schema: JsonSchema,
  rules: PortableRules,
): { schema: JsonSchema; changes: DialectChange[] } {
  const changes: DialectChange[] = [];
  const note = (path: string, change: string) => void changes.push({ path, change });
  let nodes = 0;

  const resolve = (ref: string): unknown => {
    if (ref === '#') return schema;
    if (!ref.startsWith('#/')) return undefined;
    let node: unknown = schema;
    for (const part of ref.slice(2).split('/')) {
      const key = decodePointer(part);
      node = typeof node === 'object' && node !== null ? fieldOf(node, key) : undefined;
    }
    return node;
  };

  function visit(input: unknown, path: string, refs: readonly string[]): Node {
    if (!isObject(input)) return {};
    if (++nodes > maxNodes || path.split('/').length > maxDepth * 2) {
      note(path, 'cut off: the schema is too large or too deep');
      return {};
    }
    const { $ref, allOf, oneOf, anyOf } = input;
    if (typeof $ref === 'string') return visitRef(input, $ref, path, refs);
    if (Array.isArray(allOf)) return visit(mergeAll(input, path, refs), path, refs);
    if (Array.isArray(oneOf) || Array.isArray(anyOf)) return visitUnion(input, path, refs);
    return visitPlain(input, path, refs);
  }

  function visitRef(node: Node, ref: string, path: string, refs: readonly string[]): Node {
    const { $ref: _ref, ...siblings } = node;
    const target = resolve(ref);
    const name = ref.slice(ref.lastIndexOf('/') + 1);
    if (!isObject(target)) {
      note(path, `reference ${ref} dropped: its target does not exist`);
      return visit(siblings, path, refs);
    }
    if (refs.filter((seen) => seen === ref).length >= maxRefRepeats) {
      note(path, `recursive reference to ${name} cut off`);
      const { type } = target;
      return { ...(type === 'object' && { type }), description: `Another ${name}, nested.` };
    }
    note(path, `reference to ${name} inlined`);
    return visit(mergeTwo(siblings, target), path, [...refs, ref]);
  }

  function mergeAll(node: Node, path: string, refs: readonly string[]): Node {
    const { allOf, ...own } = node;
    note(path, 'allOf merged');
    let merged: Node = own;
    for (const part of arrayOr(allOf)) {
      let resolved: Node = objectOr(part);
      for (let hops = 0; typeof resolved['$ref'] === 'string' && hops < 8; hops++) {
        const ref = resolved['$ref'];
        if (refs.filter((seen) => seen === ref).length >= maxRefRepeats) resolved = {};
        else {
          const { $ref: _ref, ...siblings } = resolved;
          resolved = { ...objectOr(resolve(ref)), ...siblings };
          refs = [...refs, ref];
        }
      }
      if (Array.isArray(resolved['allOf'])) resolved = mergeAll(resolved, path, refs);
      merged = mergeTwo(merged, resolved);
    }
    return merged;
  }

  function visitUnion(node: Node, path: string, refs: readonly string[]): Node {
    const { oneOf, anyOf, ...own } = node;
    const keyword = Array.isArray(oneOf) ? 'oneOf' : 'anyOf';
    const all = [...arrayOr(oneOf), ...arrayOr(anyOf)];
    const branches = all.filter((branch) => !isNull(branch));
    if (branches.length < all.length) note(path, 'null dropped: leave the value out instead');
    if (branches.length === 0) return visit(own, path, refs);
    if (branches.length === 1) return visit(mergeTwo(own, objectOr(branches[0])), path, refs);

    const visited = branches.map((branch, i) => visit(inherit(own, branch), `${path}/${keyword}/${i}`, refs));
    const enums = visited.every(
      (branch) => Array.isArray(branch['enum']) && typeof branch['type'] === 'string',
    );
    if (enums && new Set(visited.map((branch) => branch['type'])).size === 1) {
      note(path, `${keyword} of constants became an enum`);
      const values = [...new Set(visited.flatMap((branch) => arrayOr(branch['enum'])))];
      return { ...visitPlain(own, path, refs), type: visited[0]!['type'], enum: values };
    }
    if (path === '') {
      note(path, `${keyword} of objects became one object with the properties of all`);
      return mergeEither(visitPlain(own, path, refs), visited);
    }
    if (keyword === 'oneOf') note(path, 'oneOf became anyOf');
    // Every branch already includes the parent's constraints; next to them, only the annotations remain.
    const annotations = Object.fromEntries(
      ['title', 'description', 'default']
        .filter((key) => own[key] !== undefined && !rules.without.has(key))
        .map((key) => [key, own[key]]),
    );
    return { ...annotations, ...unionOf(visited) };
  }

  function visitPlain(node: Node, path: string, refs: readonly string[]): Node {
    const out: Node = {};
    for (const [keyword, value] of Object.entries(node)) {
      const at = `${path}/${escapePointer(keyword)}`;
      if (keyword === '$defs' || keyword === 'definitions') continue;
      if (dropped.has(keyword) || rules.without.has(keyword) || keyword.startsWith('x-')) {
        note(at, 'dropped');
        continue;
      }
      switch (keyword) {
        case 'properties': {
          const properties: Node = {};
          for (const [name, child] of Object.entries(objectOr(value))) {
            if (child === false) note(`${at}/${escapePointer(name)}`, 'dropped: it can never have a value');
            else properties[name] = visit(child, `${at}/${escapePointer(name)}`, refs);
          }
          out[keyword] = properties;
          break;
        }
        case 'items':
          if (node['prefixItems'] === undefined) out[keyword] = visit(value, at, refs);
          break;
        case 'prefixItems': {
          note(at, 'list positions became one kind of item');
          const after = node['items'] ?? true;
          const kinds = [...arrayOr(value), ...(after === false ? [] : [after])];
          out['items'] = unionOf(kinds.map((item, i) => visit(item, `${at}/${i}`, refs)));
          break;
        }
        case 'additionalProperties':
          if (node['patternProperties'] !== undefined && value !== true)
            note(at, 'dropped: names that match a pattern are allowed');
          else if (typeof value === 'boolean') out[keyword] = value;
          else out[keyword] = visit(value, at, refs);
          break;
        case 'const':
          note(at, 'const became an enum of one');
          out['enum'] = [value];
          break;
        case 'format':
          if (rules.formats.has(String(value))) out[keyword] = value;
          else note(at, `format ${String(value)} dropped`);
          break;
        default:
          out[keyword] = value;
      }
    }
    return finish(out, path);
  }

  function finish(out: Node, path: string): Node {
    // An enum implies its types.
    if (Array.isArray(out['type']) && Array.isArray(out['enum'])) delete out['type'];
    if (Array.isArray(out['type'])) {
      const types = (out['type'] as unknown[]).filter((type) => type !== 'null');
      if (types.length < (out['type'] as unknown[]).length)
        note(`${path}/type`, 'null dropped: leave the value out instead');
      if (types.length <= 1) {
        if (types.length === 1) out['type'] = types[0];
        else delete out['type'];
      } else {
        note(`${path}/type`, 'list of types became anyOf');
        const { type: _type, properties, required, additionalProperties, items, ...rest } = out;
        return {
          ...rest,
          anyOf: types.map((type) => ({
            type,
            ...(type === 'object' && {
              ...(properties !== undefined && { properties }),
              ...(required !== undefined && { required }),
            }),
            ...(type === 'object' && additionalProperties !== undefined && { additionalProperties }),
            ...(type === 'array' && { items: items ?? {} }),
          })),
        };
      }
    }
    if (out['type'] === 'null') {
      note(`${path}/type`, 'null dropped: leave the value out instead');
      delete out['type'];
    }
    if (Array.isArray(out['enum'])) {
      const values = (out['enum'] as unknown[]).filter((value) => value !== null);
      if (values.length < (out['enum'] as unknown[]).length)
        note(`${path}/enum`, 'null dropped: leave the value out instead');
      if (values.length > 0) out['enum'] = values;
      else delete out['enum'];
      if (out['type'] === undefined && values.length > 0) {
        const types = [...new Set(values.map(typeName))];
        if (types.length === 1) out['type'] = types[0];
      }
    }
    if (out['type'] === undefined && out['properties'] !== undefined) out['type'] = 'object';
    if (out['type'] === undefined && out['items'] !== undefined) out['type'] = 'array';
    if (out['type'] === 'array' && out['items'] === undefined) {
      note(path, 'items added: some readers reject a list without them');
      out['items'] = {};
    }
    return out;
  }

  const root = visit(schema, '', []);
  const { anyOf: _anyOf, ...plain } = root;
  const { type: _type, ...body } = plain;
  return {
    schema: { type: 'object', ...body, properties: plain['properties'] ?? {} },
    changes,
  };
}

function isNull(branch: unknown): boolean {
  if (typeof branch !== 'object' || branch === null) return false;
  const { type, const: only, enum: values } = branch as { type?: unknown; const?: unknown; enum?: unknown[] };
  return (
    type === 'null' || ('const' in branch && only === null) || (values?.length === 1 && values[0] === null)
  );
}

function typeName(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

// A branch of a union keeps the constraints of its parent.
function inherit(own: Node, branch: unknown): Node {
  if (!isObject(branch)) return {};
  const { title: _title, description: _description, default: _default, ...kept } = own;
  return mergeTwo(kept, branch);
}

// Both apply: the properties and requirements of both; for single-valued keywords the first wins.
function mergeTwo(first: Node, second: Node): Node {
  const merged: Node = { ...second, ...first };
  // `items` after `prefixItems` means nothing without it, so both are taken from the same side.
  const listSide = first['items'] !== undefined || first['prefixItems'] !== undefined ? first : second;
  for (const keyword of ['items', 'prefixItems'] as const) {
    if (listSide[keyword] === undefined) delete merged[keyword];
    else merged[keyword] = listSide[keyword];
  }
  if (first['properties'] !== undefined || second['properties'] !== undefined) {
    merged['properties'] = {
      ...objectOr(second['properties']),
      ...objectOr(first['properties']),
    };
  }
  const required = [...new Set([...textsIn(first['required']), ...textsIn(second['required'])])];
  if (required.length > 0) merged['required'] = required;
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (Array.isArray(first[keyword]) && Array.isArray(second[keyword])) merged[keyword] = first[keyword];
  }
  return merged;
}

// Either applies: the properties of all, required only where all agree.
function mergeEither(own: Node, branches: readonly Node[]): Node {
  const properties: Node = { ...objectOr(own['properties']) };
  for (const branch of branches) {
    for (const [name, child] of Object.entries(objectOr(branch['properties']))) {
      const other = properties[name];
      properties[name] = other === undefined ? child : either(objectOr(other), objectOr(child));
    }
  }
  const required = textsIn(branches[0]!['required']).filter((name) =>
    branches.every((branch) => textsIn(branch['required']).includes(name)),
  );
  const { additionalProperties: _additional, required: _required, ...rest } = own;
  return { ...rest, type: 'object', properties, ...(required.length > 0 && { required }) };
}

function either(a: Node, b: Node): Node {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (a['type'] === b['type'] && Array.isArray(a['enum']) && Array.isArray(b['enum'])) {
    const values = [...new Set([...(a['enum'] as unknown[]), ...(b['enum'] as unknown[])])];
    const { title, description } = a;
    return {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(a['type'] !== undefined && { type: a['type'] }),
      enum: values,
    };
  }
  return unionOf([a, b]);
}

// Nested unions are flattened; a branch that allows everything makes the others redundant.
function unionOf(branches: readonly Node[]): Node {
  const flat = branches.flatMap((branch) =>
    Array.isArray(branch['anyOf']) && Object.keys(branch).length === 1
      ? branch['anyOf'].map(objectOr)
      : [branch],
  );
  const distinct = dedupe(flat);
  if (distinct.length === 1) return distinct[0]!;
  return distinct.some((branch) => Object.keys(branch).length === 0) ? {} : { anyOf: distinct };
}

function dedupe(nodes: readonly Node[]): Node[] {
  const seen = new Set<string>();
  return nodes.filter((node) => {
    const text = JSON.stringify(node);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

function decodePointer(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A stray percent sign is kept as it is.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
