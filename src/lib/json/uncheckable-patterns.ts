import { arrayOr } from './plain-object.ts';
import { WeakCache } from '../weak-cache.ts';

type Schema = Readonly<Record<string, unknown>>;

const inLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const inMaps = ['properties', 'dependentSchemas', '$defs'];
const alone = [
  'items',
  'contains',
  'propertyNames',
  'then',
  'else',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const refPrefix = '#/$defs/';

/**
 * The schema without the patterns that can't be run (`canRun` decides), so that it accepts at least what it was
 * meant to. Dropping a pattern accepts more, which would become rejecting more below `oneOf`, `not` and `if`:
 * there the keyword itself is dropped. Returns the schema itself if every pattern can be run.
 */
export function withoutUncheckable(schema: Schema, canRun: (pattern: string) => boolean): Schema {
  const looser = looserDefinitions(isSchema(schema['$defs']) ? schema['$defs'] : {}, canRun);
  const known = new WeakCache<object, boolean>();
  const isLoose = (node: unknown): boolean => {
    if (!isSchema(node)) return false;
    let loose = known.get(node);
    if (loose === undefined) {
      const { $ref } = node;
      loose =
        hasUncheckable(node, canRun) ||
        (typeof $ref === 'string' && looser.has($ref.slice(refPrefix.length))) ||
        inner(node).some(isLoose);
      known.set(node, loose);
    }
    return loose;
  };
  return isLoose(schema) ? rewrite(schema, canRun, isLoose) : schema;
}

/** The definitions that have such a pattern, or refer to one that does. */
function looserDefinitions(defs: Schema, canRun: (pattern: string) => boolean): ReadonlySet<string> {
  const looser = new Set<string>();
  const usedBy = new Map<string, string[]>();
  for (const [name, target] of Object.entries(defs)) {
    const open: unknown[] = [target];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (!isSchema(node)) continue;
      if (hasUncheckable(node, canRun)) looser.add(name);
      if (typeof node['$ref'] === 'string') {
        const used = node['$ref'].slice(refPrefix.length);
        const users = usedBy.get(used);
        if (users) users.push(name);
        else usedBy.set(used, [name]);
      }
      open.push(...inner(node));
    }
  }
  // Items added to a Set while it is iterated are visited too, so it works as a queue.
  for (const name of looser) for (const user of usedBy.get(name) ?? []) looser.add(user);
  return looser;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The direct subschemas of a schema, including those of patternProperties. */
function inner(schema: Schema): unknown[] {
  const found: unknown[] = [];
  for (const key of [...inMaps, 'patternProperties']) {
    const map = schema[key];
    if (isSchema(map)) found.push(...Object.values(map));
  }
  for (const key of inLists) if (Array.isArray(schema[key])) found.push(...(schema[key] as unknown[]));
  for (const key of [...alone, 'not', 'if']) if (isSchema(schema[key])) found.push(schema[key]);
  return found;
}

function hasUncheckable(
  { pattern, patternProperties }: Schema,
  canRun: (pattern: string) => boolean,
): boolean {
  return (
    (typeof pattern === 'string' && !canRun(pattern)) ||
    (isSchema(patternProperties) && Object.keys(patternProperties).some((name) => !canRun(name)))
  );
}

function rewrite(
  node: Schema,
  canRun: (pattern: string) => boolean,
  isLoose: (node: unknown) => boolean,
): Schema {
  const next = (child: unknown): unknown =>
    isSchema(child) && isLoose(child) ? rewrite(child, canRun, isLoose) : child;
  const out: Record<string, unknown> = { ...node };
  if (typeof out['pattern'] === 'string' && !canRun(out['pattern'])) delete out['pattern'];
  const patterns = out['patternProperties'];
  if (isSchema(patterns)) {
    const kept = Object.entries(patterns).filter(([name]) => canRun(name));
    out['patternProperties'] = Object.fromEntries(kept.map(([name, child]) => [name, next(child)]));
    if (kept.length < Object.keys(patterns).length) {
      delete out['additionalProperties'];
      delete out['unevaluatedProperties'];
    }
  }
  if (isLoose(out['not'])) delete out['not'];
  if (isLoose(out['if'])) for (const key of ['if', 'then', 'else']) delete out[key];
  if (isLoose(out['contains'])) delete out['maxContains'];
  if (Array.isArray(out['oneOf']) && out['oneOf'].some(isLoose)) {
    const branches = out['oneOf'].map(next);
    delete out['oneOf'];
    if (out['anyOf'] === undefined) out['anyOf'] = branches;
    else out['allOf'] = [...arrayOr(out['allOf']), { anyOf: branches }];
  }
  for (const key of inMaps)
    if (isSchema(out[key]))
      out[key] = Object.fromEntries(Object.entries(out[key]).map(([name, child]) => [name, next(child)]));
  for (const key of inLists) if (Array.isArray(out[key])) out[key] = out[key].map(next);
  for (const key of alone) if (isSchema(out[key])) out[key] = next(out[key]);
  return out;
}
