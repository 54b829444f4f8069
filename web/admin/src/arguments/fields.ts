/** The part of a JSON Schema that a form needs. */
export type Schema = Readonly<Record<string, unknown>>;

export type FieldKind = 'text' | 'long-text' | 'number' | 'boolean' | 'choice' | 'json';

/** One argument as a form field. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description?: string;
  readonly choices?: readonly string[];
  readonly initial?: unknown;
}

/** The fields of a tool's input schema, required ones first. */
export function fieldsOf(schema: Schema): Field[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const fields = Object.entries(properties).map(([name, part]) =>
    fieldOf(name, isObject(part) ? part : {}, required.has(name)),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const choices = choicesOf(schema);
  const description = typeof schema['description'] === 'string' ? schema['description'] : undefined;
  const initial = initialOf(schema);
  return {
    name,
    kind: choices === undefined ? kindOf(schema) : 'choice',
    required,
    ...(description !== undefined && { description }),
    ...(choices !== undefined && { choices }),
    ...(initial !== undefined && { initial }),
  };
}

function choicesOf(schema: Schema): string[] | undefined {
  const values = schema['enum'];
  if (!Array.isArray(values) || values.length === 0 || values.length > 200) return undefined;
  return values.every((value) => typeof value === 'string') ? values : undefined;
}

function initialOf(schema: Schema): unknown {
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['default'] !== undefined) return schema['default'];
  if (schema['example'] !== undefined) return schema['example'];
  return Array.isArray(schema['examples']) ? (schema['examples'][0] as unknown) : undefined;
}

function kindOf(schema: Schema): FieldKind {
  const types = (Array.isArray(schema['type']) ? schema['type'] : [schema['type']]).filter(
    (type) => type !== 'null',
  );
  if (types.length !== 1) return 'json';
  switch (types[0]) {
    case 'string':
      return typeof schema['maxLength'] === 'number' && schema['maxLength'] <= 200
        ? 'text'
        : schema['contentMediaType']
          ? 'long-text'
          : 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'json';
  }
}

/** Initial arguments: defaults from the schema, and required fields to fill in. */
export function initialArguments(schema: Schema): Record<string, unknown> {
  const start: Record<string, unknown> = {};
  for (const field of fieldsOf(schema)) {
    if (field.required && field.initial !== undefined) start[field.name] = field.initial;
    else if (field.required && field.kind === 'choice') start[field.name] = field.choices?.[0];
  }
  return start;
}

/** The names of required arguments that have no value yet. */
export function missingArguments(schema: Schema, values: Readonly<Record<string, unknown>>): string[] {
  return fieldsOf(schema)
    .filter((field) => field.required && (values[field.name] === undefined || values[field.name] === ''))
    .map((field) => field.name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
