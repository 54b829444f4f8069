// What a value must look like, defined once: its type is inferred from the schema, `problemsIn` checks it, and
// the admin API's contract is generated from it. Small and free of dependencies, because every stored row is
// checked before a gateway listens (docs/adr/0004-one-schema-per-domain-type.md).

/** Reports a problem at a JSON Pointer relative to the checked value; empty for the value itself. */
export type ReportProblem = (path: string, message: string) => void;

/** A rule that a form can't express; it only sees values of the right form. */
export type Rule<T> = (value: T, report: ReportProblem) => void;

/** The form of a value, as data. */
export type Form =
  | {
      readonly is: 'text';
      readonly min: number;
      readonly max: number;
      readonly pattern: RegExp | null;
      /** What the pattern requires, in words. */
      readonly wants: string;
    }
  | { readonly is: 'integer'; readonly min: number; readonly max: number }
  | { readonly is: 'flag' }
  | { readonly is: 'choice'; readonly values: readonly (string | number | boolean)[] }
  | { readonly is: 'list'; readonly item: AnySchema; readonly min: number; readonly max: number }
  | { readonly is: 'record'; readonly key: AnySchema; readonly value: AnySchema; readonly max: number }
  | {
      readonly is: 'object';
      readonly fields: ReadonlyMap<string, AnySchema>;
      readonly required: readonly string[];
    }
  /** Several objects, distinguished by the value of the field `tag`. */
  | { readonly is: 'variants'; readonly tag: string; readonly options: ReadonlyMap<string, AnySchema> }
  /** Several objects, distinguished by which of these fields is present; the first one decides. */
  | { readonly is: 'by-key'; readonly options: ReadonlyMap<string, AnySchema> }
  | { readonly is: 'nullable'; readonly inner: AnySchema }
  /** Any JSON; `kind` says whether it must be a JSON Schema. */
  | { readonly is: 'json'; readonly kind: 'value' | 'schema' };

declare const meant: unique symbol;

/** What a value of type `T` must look like. */
export interface Schema<out T> {
  readonly form: Form;
  readonly rules: readonly Rule<never>[];
  /** What it is for, shown in the OpenAPI document. */
  readonly says: string | null;
  /** Never set: it only carries the type. */
  readonly [meant]?: T;
}

export type AnySchema = Schema<unknown>;

/** An optional field. */
export interface Optional<out T> {
  readonly optional: Schema<T>;
}

/** The fields of an object by name. */
export type Fields = Readonly<Record<string, AnySchema | Optional<unknown>>>;

/** An object with exactly these fields, from which others can be derived. */
export interface ObjectSchema<F extends Fields> extends Schema<InferFields<F>> {
  readonly fields: F;
}

/** The type that a schema, or an optional field, describes. */
export type Infer<S> = S extends Schema<infer T> ? T : S extends Optional<infer T> ? T : never;

type OptionalNames<F> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];

/** The type of an object with these fields. */
export type InferFields<F> = Flat<
  { readonly [K in Exclude<keyof F, OptionalNames<F>>]: Infer<F[K]> } & {
    readonly [K in OptionalNames<F>]?: Infer<F[K]>;
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };

const most = Number.MAX_SAFE_INTEGER;

function schema<T>(form: Form): Schema<T> {
  return { form, rules: [], says: null };
}

/** Text with a length in UTF-16 units that matches a pattern; `wants` says in words what the pattern requires. */
export function text(
  options: {
    readonly min?: number;
    readonly max: number;
    readonly pattern?: RegExp;
    readonly wants?: string;
  } = { max: most },
): Schema<string> {
  const { min = 0, max, pattern = null, wants = 'must have another form' } = options;
  return schema({ is: 'text', min, max, pattern, wants });
}

/** A whole number. */
export function integer(options: { readonly min?: number; readonly max?: number } = {}): Schema<number> {
  return schema({ is: 'integer', min: options.min ?? -most, max: options.max ?? most });
}

/** True or false. */
export function flag(): Schema<boolean> {
  return schema({ is: 'flag' });
}

/** One of these values. */
export function choice<const V extends string | number | boolean>(...values: readonly V[]): Schema<V> {
  return schema({ is: 'choice', values });
}

/** A list. */
export function list<S extends AnySchema>(
  item: S,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Schema<readonly Infer<S>[]> {
  return schema({ is: 'list', item, min, max });
}

/** Values by name. */
export function record<S extends AnySchema>(
  key: Schema<string>,
  value: S,
  { max }: { readonly max: number },
): Schema<Readonly<Record<string, Infer<S>>>> {
  return schema({ is: 'record', key, value, max });
}

/** An object with exactly these fields: any other field is rejected. */
export function object<const F extends Fields>(fields: F): ObjectSchema<F> {
  const schemas = new Map<string, AnySchema>();
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if ('optional' in field) schemas.set(name, field.optional);
    else {
      schemas.set(name, field);
      required.push(name);
    }
  }
  return { ...schema<InferFields<F>>({ is: 'object', fields: schemas, required }), fields };
}

/** An optional field. */
export function optional<S extends AnySchema>(inner: S): Optional<Infer<S>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the inferred type is the one S describes
  return { optional: inner as Schema<Infer<S>> };
}

/** The same fields, all optional. */
export function partial<F extends Fields>(fields: F): { readonly [K in keyof F]: Optional<Infer<F[K]>> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript loses the field names in a map
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'optional' in field ? field : optional(field)]),
  ) as { readonly [K in keyof F]: Optional<Infer<F[K]>> };
}

/** All fields except some. */
export function omit<F extends Fields, K extends keyof F>(fields: F, ...names: readonly K[]): Omit<F, K> {
  const left: readonly PropertyKey[] = names;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript loses the field names in a filter
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !left.includes(name)),
  ) as unknown as Omit<F, K>;
}

/** One of several objects, each with its own value of the field `tag`. */
export function variants<const Tag extends string, const O extends Readonly<Record<string, Fields>>>(
  tag: Tag,
  options: O,
): Schema<
  { [K in keyof O & string]: Flat<{ readonly [T in Tag]: K } & InferFields<O[K]>> }[keyof O & string]
> {
  return schema({
    is: 'variants',
    tag,
    options: new Map(
      Object.entries(options).map(([name, fields]) => [name, object({ [tag]: choice(name), ...fields })]),
    ),
  });
}

/** One of several objects, distinguished by a field that each requires; the first one present decides. */
export function byKey<const O extends Readonly<Record<string, AnySchema>>>(
  options: O,
): Schema<Infer<O[keyof O]>> {
  return schema({ is: 'by-key', options: new Map(Object.entries(options)) });
}

/** The same, or null. */
export function nullable<S extends AnySchema>(inner: S): Schema<Infer<S> | null> {
  return schema({ is: 'nullable', inner });
}

/** Any JSON value. */
export function jsonValue<T>(): Schema<T> {
  return schema({ is: 'json', kind: 'value' });
}

/** A JSON Schema, draft 2020-12. */
export function jsonSchema<T>(): Schema<T> {
  return schema({ is: 'json', kind: 'schema' });
}

/** The same schema with an additional rule. */
export function withRule<S extends AnySchema>(inner: S, rule: Rule<Infer<S>>): S {
  return { ...inner, rules: [...inner.rules, rule] };
}

/** The same schema with a description for the OpenAPI document. */
export function described<S extends AnySchema>(inner: S, says: string): S {
  return { ...inner, says };
}
