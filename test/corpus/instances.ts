import type { JsonSchema } from '../../src/domain/json-schema.ts';

/** A source of numbers below one that is the same on every run. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Makes values for a schema, deep ones and with chosen branches, values and optional fields. Not all of them fit (patterns
 * are guessed): whoever asks checks them first.
 */
export function instanceOf(schema: unknown, defs: JsonSchema, roll: () => number, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null) return 'anything';
  const node = schema as Record<string, unknown>;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(roll() * list.length)]!;
  const follow = (inner: unknown) => instanceOf(inner, defs, roll, depth + 1);
  if (typeof node['$ref'] === 'string') return follow(defs[node['$ref'].slice('#/$defs/'.length)]);
  if ('const' in node) return node['const'];
  if (Array.isArray(node['enum'])) return pick(node['enum']);
  const union = node['oneOf'] ?? node['anyOf'];
  if (Array.isArray(union)) {
    const chosen = follow(pick(union));
    return node['properties'] === undefined ? chosen : merge(object(node), chosen);
  }
  if (Array.isArray(node['allOf']))
    return (node['allOf'] as unknown[]).map(follow).reduce(merge, object(node));
  const type = Array.isArray(node['type']) ? pick(node['type'] as unknown[]) : node['type'];
  if (type === 'object' || node['properties'] !== undefined) return object(node);
  if (type === 'array') {
    const least = Number(node['minItems'] ?? 0);
    const most = Math.min(Number(node['maxItems'] ?? 3), least + (depth > 5 ? 0 : 2));
    return Array.from({ length: least + Math.floor(roll() * (most - least + 1)) }, () =>
      follow(node['items']),
    );
  }
  if (type === 'integer' || type === 'number') return number(node);
  if (type === 'boolean') return roll() < 0.5;
  if (type === 'null') return null;
  return type === undefined ? pick(['text', 3, true, null, [], {}]) : text(node);

  function object(of: Record<string, unknown>): Record<string, unknown> {
    const required = new Set(Array.isArray(of['required']) ? (of['required'] as unknown[]) : []);
    const value: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries((of['properties'] ?? {}) as Record<string, unknown>)) {
      if (required.has(name) || roll() < 0.6 / (1 + depth / 4)) value[name] = follow(inner);
    }
    const other = of['additionalProperties'];
    if (other !== false && roll() < 0.2)
      value['other field'] = other === undefined || other === true ? 1 : follow(other);
    return value;
  }

  function number(of: Record<string, unknown>): number {
    const least = Number(of['minimum'] ?? 0);
    const most = Number(of['maximum'] ?? least + 100);
    const value = least + roll() * (most - least);
    return type === 'integer' ? Math.round(value) : value;
  }

  function text(of: Record<string, unknown>): string {
    const format = byFormat[of['format'] as string];
    if (format !== undefined) return format;
    const length = Math.min(Math.max(Number(of['minLength'] ?? 0), 6), Number(of['maxLength'] ?? 6));
    return 'wörd 1'.repeat(Math.ceil(length / 6)).slice(0, length);
  }
}

const byFormat: Readonly<Record<string, string>> = {
  date: '2024-01-02',
  'date-time': '2024-01-02T03:04:05Z',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  email: 'a@example.com',
  uri: 'https://example.com/a?b=c',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

function merge(one: unknown, other: unknown): unknown {
  const both = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null;
  return both ? { ...one, ...other } : other;
}
