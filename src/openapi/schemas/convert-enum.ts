import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { below, type Place } from '../bundle.ts';
import type { Scope } from './schema-scope.ts';
import { visible } from '../../lib/text/tidy-text.ts';

const maxValues = 5_000;

/** Adds `enum`, with values converted to the declared type: YAML parses `1` and `true` where a string was meant. */
export function addEnum(value: PlainObject, out: Record<string, unknown>, at: Place, scope: Scope): void {
  const given = value['enum'];
  if (given === undefined || given === null) return;
  const place = below(at, 'enum');
  if (!Array.isArray(given) || given.length === 0) {
    scope.notes.add(
      'schema_keyword_invalid',
      'The keyword "enum" must list at least one value; it is left out.',
      place,
    );
    return;
  }
  if (given.length > maxValues) {
    scope.notes.add(
      'enum_dropped',
      `A list of ${given.length} allowed values is too long to show a model; any value is accepted.`,
      place,
    );
    return;
  }
  let changed = false;
  const values: unknown[] = [];
  for (const entry of given) {
    if (typeof entry === 'number' && !Number.isFinite(entry)) continue;
    const seen = visible(entry);
    if (seen !== entry)
      scope.notes.add(
        'enum_cleaned',
        'An allowed value contains invisible characters; it is shown and sent without them.',
        place,
      );
    const fitted = fit(seen, out['type']);
    if (fitted !== seen) changed = true;
    if (!values.some((known) => known === fitted)) values.push(fitted);
  }
  if (changed)
    scope.notes.add(
      'enum_converted',
      `The allowed values are not of the declared type ${JSON.stringify(out['type'])}; they are converted.`,
      place,
    );
  out['enum'] = values;
  trustValues(values, out, place, scope);
  addLabels(value, values, out);
}

// `type: integer` with `enum: [low, high]` allows no value; the list is more likely to be right.
function trustValues(
  values: readonly unknown[],
  out: Record<string, unknown>,
  place: Place,
  scope: Scope,
): void {
  const declared = out['type'];
  if (declared === undefined) return;
  const types = Array.isArray(declared) ? (declared as unknown[]) : [declared];
  const others = values.filter((entry) => entry !== null && !types.some((type) => isOfType(entry, type)));
  if (others.length === 0) return;
  const needed = [...new Set(values.filter((entry) => entry !== null).map(typeName))];
  out['type'] = needed.length === 1 ? needed[0] : needed;
  scope.notes.add(
    'enum_type_mismatch',
    `The allowed values are not of the declared type ${JSON.stringify(declared)}; the values are used, not the type.`,
    place,
  );
}

function isOfType(entry: unknown, type: unknown): boolean {
  const name = typeName(entry);
  return name === type || (name === 'integer' && type === 'number');
}

function typeName(entry: unknown): string {
  if (Array.isArray(entry)) return 'array';
  return typeof entry === 'number' ? (Number.isInteger(entry) ? 'integer' : 'number') : typeof entry;
}

function fit(entry: unknown, type: unknown): unknown {
  if (type === 'string' && (typeof entry === 'number' || typeof entry === 'boolean')) return String(entry);
  if (
    (type === 'integer' || type === 'number') &&
    typeof entry === 'string' &&
    entry.trim() !== '' &&
    Number.isFinite(Number(entry))
  )
    return Number(entry);
  if (type === 'boolean' && (entry === 'true' || entry === 'false')) return entry === 'true';
  return entry;
}

// Without labels, a model can only guess what numeric values mean.
function addLabels(value: PlainObject, values: readonly unknown[], out: Record<string, unknown>): void {
  const labels =
    value['x-enum-varnames'] ??
    value['x-enumNames'] ??
    value['x-enum-descriptions'] ??
    value['x-enumDescriptions'];
  const list = Array.isArray(labels)
    ? labels
    : isObject(labels)
      ? values.map((entry) => labels[String(entry)])
      : [];
  if (
    list.length !== values.length ||
    values.length > 40 ||
    !list.every((label) => typeof label === 'string')
  )
    return;
  if (list.every((label, i) => label === values[i])) return;
  const text = values
    .map((entry, i) => `${String(entry)}: ${String(visible(list[i])).slice(0, 100)}`)
    .join('; ');
  out['description'] = typeof out['description'] === 'string' ? `${out['description']} (${text})` : text;
}
