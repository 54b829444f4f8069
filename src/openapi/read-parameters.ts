import { isConnectionHeader } from '../domain/fields/header-names.ts';
import type { Parameter, ParameterPlace, ParameterStyle } from '../domain/operation.ts';
import { arrayOr, isObject, objectOr, textOr, wordOf, type PlainObject } from '../lib/json/plain-object.ts';
import { tidyText, visible } from '../lib/text/tidy-text.ts';
import { below, type Located, type Place } from './bundle.ts';
import type { Notes } from './notes.ts';
import type { Reading } from './reading.ts';
import type { ParameterNames } from './names.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import type { Scope } from './schemas/schema-scope.ts';

const maxDescription = 800;

const stylesFor: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix', 'pipeDelimited', 'spaceDelimited', 'tabDelimited'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'tabDelimited'],
  header: ['simple', 'pipeDelimited', 'spaceDelimited', 'tabDelimited'],
  cookie: ['form', 'cookie'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'tabDelimited'],
};

/** The values of `in`, in the order of a tool's inputs. */
const places = ['path', 'query', 'querystring', 'header', 'cookie'] as const;
const order: readonly string[] = places;

/** The parameter objects of an operation: its own override its path's, and the last duplicate wins. */
export function gatherParameters(
  reading: Reading,
  levels: readonly Located[],
  notes: Notes,
): Located<PlainObject>[] {
  const found = new Map<string, Located<PlainObject>>();
  for (const level of levels) {
    const own = new Set<string>();
    for (const [i, entry] of arrayOr(level.value).entries()) {
      const at = below(level.at, i);
      const target = reading.resolver.follow({ value: entry, at });
      if ('unresolved' in target) {
        notes.add('parameter_dropped', `A parameter is left out: its reference ${target.unresolved}.`, at);
        continue;
      }
      const value = withTextName(target.value);
      if (
        !isObject(value) ||
        typeof value['name'] !== 'string' ||
        typeof value['in'] !== 'string' ||
        value['name'] === ''
      ) {
        notes.add('parameter_dropped', 'A parameter without "name" or "in" is left out.', target.at);
        continue;
      }
      const key = `${value['in']} ${value['in'] === 'header' ? value['name'].toLowerCase() : value['name']}`;
      if (own.has(key))
        notes.add(
          'parameter_repeated',
          `The ${value['in']} parameter "${value['name']}" is declared twice; the last declaration is used.`,
          target.at,
        );
      own.add(key);
      found.set(key, { value, at: target.at });
    }
  }
  return [...found.values()];
}

// YAML parses `name: 5` and `name: true` as a number and a boolean; a name is text.
function withTextName(value: unknown): unknown {
  if (!isObject(value) || (typeof value['name'] !== 'number' && typeof value['name'] !== 'boolean'))
    return value;
  return { ...value, name: String(value['name']) };
}

/** Converts path, query, header and cookie parameters into inputs. */
export function readParameters(
  reading: Reading,
  declared: readonly Located<PlainObject>[],
  template: string,
  names: ParameterNames,
  scope: Scope,
  at: Place,
): Parameter[] {
  const { notes } = scope;
  const parameters: Parameter[] = [];
  const slots = templateNames(template);
  const filled = new Set<string>();
  const sorted = declared
    .flatMap((entry) => {
      const place = places.find((known) => known === entry.value['in']);
      if (place !== undefined) return [{ entry, place, wire: wordOf(entry.value['name']) }];
      notes.add(
        'parameter_dropped',
        `The parameter "${String(entry.value['name'])}" is left out: "in: ${String(entry.value['in'])}" is unknown.`,
        entry.at,
      );
      return [];
    })
    .toSorted((a, b) => order.indexOf(a.place) - order.indexOf(b.place));

  for (const { entry, place, wire } of sorted) {
    if (place === 'querystring') {
      parameters.push(...readQueryString(reading, entry, names, scope));
      continue;
    }
    if (place === 'path') {
      const slot =
        slots.find((name) => name === wire) ?? slots.find((name) => bareSlot(name) === bareSlot(wire));
      if (slot === undefined) {
        notes.add(
          'parameter_dropped',
          `The path parameter "${wire}" is left out: the path has no {${wire}}.`,
          entry.at,
        );
        continue;
      }
      filled.add(slot);
      parameters.push(readParameter(reading, entry, place, slot, names.claim(bareSlot(wire), place), scope));
      continue;
    }
    if (place === 'header' && !keepsHeader(wire, entry, notes)) continue;
    parameters.push(readParameter(reading, entry, place, wire, names.claim(wire, place), scope));
  }
  for (const slot of slots) {
    if (filled.has(slot)) continue;
    notes.add(
      'path_parameter_undeclared',
      `{${slot}} is in the path but not declared; it is treated as a required string.`,
      at,
    );
    const name = names.claim(bareSlot(slot), 'path');
    parameters.push({
      name,
      in: 'path',
      ...(name !== slot && { key: slot }),
      schema: { type: 'string' },
      required: true,
    });
  }
  return parameters.toSorted((a, b) => order.indexOf(a.in) - order.indexOf(b.in));
}

/** The variables of a path template, each once. */
export function templateNames(template: string): string[] {
  return [...new Set([...template.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!))];
}

// Some documents mark greedy variables: `{proxy+}`, `{+name}`, `{path*}`.
function bareSlot(name: string): string {
  return (
    name
      .replace(/^[+#./;?&]/, '')
      .replace(/[+*]$/, '')
      .replace(/^=?\*{1,2}/, '') || name
  );
}

function keepsHeader(name: string, entry: Located<PlainObject>, notes: Notes): boolean {
  const lower = name.toLowerCase();
  if (isConnectionHeader(name)) {
    notes.add(
      'header_dropped',
      `The header parameter "${name}" is left out: it belongs to the connection.`,
      entry.at,
    );
    return false;
  }
  if (lower === 'accept' || lower === 'content-type') {
    // https://spec.openapis.org/oas/v3.1.1#parameter-object says to ignore them.
    notes.add(
      'header_dropped',
      `The header parameter "${name}" is left out: it is derived from the operation's media types.`,
      entry.at,
    );
    return false;
  }
  if (/[^!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(name)) {
    notes.add(
      'header_dropped',
      `The header parameter "${name}" is left out: it is not a valid header name.`,
      entry.at,
    );
    return false;
  }
  return true;
}

function readParameter(
  reading: Reading,
  entry: Located<PlainObject>,
  place: 'path' | 'query' | 'header' | 'cookie',
  key: string,
  name: string,
  scope: Scope,
): Parameter {
  const { value, at } = entry;
  const { notes } = scope;
  const content = firstContent(value);
  const located: Located = content
    ? { value: content.media['schema'], at: below(at, 'content', content.type, 'schema') }
    : { value: value['schema'] ?? inlineSchema(value, at, notes), at: below(at, 'schema') };
  let schema = reading.inputs.convert(located, scope);
  if (schema['examples'] === undefined) {
    const example = value['example'] ?? firstExample(reading, value, at);
    const isShort = example !== undefined && (JSON.stringify(example)?.length ?? Infinity) <= 200;
    if (isShort && (typeof example !== 'number' || Number.isFinite(example)))
      schema = { ...schema, examples: [visible(example)] };
  }
  if (value['deprecated'] === true || value['x-deprecated'] === true)
    schema = { ...schema, deprecated: true };
  const description = textOr(value['description']);
  const style = readStyle(value['style'], place, at, notes);
  const explode = value['explode'];
  return {
    name,
    in: place,
    ...(name !== key && { key }),
    schema: place === 'query' && key.endsWith('[]') ? oneOrMany(schema) : schema,
    required: place === 'path' || value['required'] === true,
    ...(description && { description: tidyText(description, maxDescription) }),
    ...(style !== undefined && style !== defaultStyle(place) && { style }),
    ...(typeof explode === 'boolean' &&
      explode !== defaultExplode(style ?? defaultStyle(place)) && { explode }),
    ...(value['allowReserved'] === true && { allowReserved: true }),
    ...(content && { contentType: content.type }),
  };
}

const scalars = new Set(['string', 'integer', 'number', 'boolean']);

/** `ids[]` is sent once for each value, so it also takes a list where its document only describes one value. */
function oneOrMany(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  return typeof type === 'string' && scalars.has(type)
    ? { anyOf: [schema, { type: 'array', items: schema }] }
    : schema;
}

function defaultStyle(place: ParameterPlace): ParameterStyle {
  return place === 'path' || place === 'header' ? 'simple' : 'form';
}

function defaultExplode(style: ParameterStyle): boolean {
  return style === 'form' || style === 'cookie' || style === 'deepObject';
}

/** The style of a parameter or form field; undefined, with a note, if it is not valid there. */
export function readStyle(
  style: unknown,
  place: ParameterPlace,
  at: Place,
  notes: Notes,
): ParameterStyle | undefined {
  if (style === undefined || style === null) return undefined;
  const known = stylesFor[place].find((candidate) => candidate === style);
  if (!known)
    notes.add(
      'style_unknown',
      `The style ${JSON.stringify(style)} is not defined for ${place} parameters; "${defaultStyle(place)}" is used.`,
      below(at, 'style'),
    );
  return known;
}

function firstContent(value: PlainObject): { type: string; media: PlainObject } | null {
  const content = value['content'];
  if (!isObject(content)) return null;
  const [type, media] = Object.entries(content)[0] ?? [];
  return type === undefined ? null : { type, media: objectOr(media) };
}

// `type` directly on a parameter is Swagger 2, but documents labeled 3.x have it too.
function inlineSchema(value: PlainObject, at: Place, notes: Notes): unknown {
  if (value['type'] === undefined) return undefined;
  notes.add(
    'parameter_inline_type',
    `The parameter "${String(value['name'])}" has its type outside of "schema", as in Swagger 2; it is used anyway.`,
    at,
  );
  const {
    name: _name,
    in: _in,
    required: _required,
    description: _description,
    style: _style,
    explode: _explode,
    ...schema
  } = value;
  return schema;
}

function firstExample(reading: Reading, value: PlainObject, at: Place): unknown {
  const [name, example] = Object.entries(objectOr(value['examples']))[0] ?? [];
  if (name === undefined) return undefined;
  const target = reading.resolver.follow({ value: example, at: below(at, 'examples', name) });
  if ('unresolved' in target) return undefined;
  // 3.2 separates the value from its serialized form.
  return objectOr(target.value)['dataValue'] ?? objectOr(target.value)['value'];
}

// OpenAPI 3.2: the whole query as one value. A form is one query parameter per property; anything else is one text.
function readQueryString(
  reading: Reading,
  entry: Located<PlainObject>,
  names: ParameterNames,
  scope: Scope,
): Parameter[] {
  const content = firstContent(entry.value);
  const type = content?.type ?? '';
  const at = below(entry.at, 'content', type, 'schema');
  const target = content && reading.resolver.follow({ value: content.media['schema'], at });
  const schema = target && !('unresolved' in target) ? objectOr(target.value) : {};
  if (!content || !target || 'unresolved' in target) {
    scope.notes.add(
      'parameter_dropped',
      `The query string parameter "${String(entry.value['name'])}" is left out: it does not describe its content.`,
      entry.at,
    );
    return [];
  }
  if (type !== 'application/x-www-form-urlencoded' || !isObject(schema['properties'])) {
    const wire = String(entry.value['name']);
    const name = names.claim(wire, 'query');
    const description = textOr(entry.value['description']);
    return [
      {
        name,
        in: 'query',
        ...(name !== wire && { key: wire }),
        schema: reading.inputs.convert({ value: content.media['schema'], at }, scope),
        required: entry.value['required'] === true,
        ...(description && { description: tidyText(description, maxDescription) }),
        style: 'querystring',
        contentType: type,
      },
    ];
  }
  const required = arrayOr(schema['required']);
  return Object.entries(schema['properties']).map(([key, value]) => {
    const name = names.claim(key, 'query');
    return {
      name,
      in: 'query' as const,
      ...(name !== key && { key }),
      schema: reading.inputs.convert({ value, at: below(target.at, 'properties', key) }, scope),
      required: required.includes(key),
    };
  });
}
