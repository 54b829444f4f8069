import { escapePointer } from '../../../src/lib/json/json-pointer.ts';
import { isObject } from '../../../src/lib/json/plain-object.ts';
import type { AnySchema, Form } from '../../../src/lib/schema/schema.ts';

/** A document that has one thing wrong with it. */
export interface Mutation {
  /** What was done, in words. */
  readonly what: string;
  /** Where: a JSON Pointer. */
  readonly path: string;
  readonly document: unknown;
}

type Change = (value: unknown) => unknown;

/** A change somewhere below a value. */
interface Below {
  readonly what: string;
  readonly path: string;
  readonly change: Change;
}

/** Takes a field away. */
const gone = Symbol('gone');

/**
 * Every way that the schema itself knows to make a valid document wrong: another type, out of range, missing, too much,
 * a name with a meaning of its own. Fields that are new to the schema are among them without anybody doing anything.
 */
export function mutationsOf(schema: AnySchema, example: unknown): Mutation[] {
  return below(schema, example).map(({ what, path, change }) => ({ what, path, document: change(example) }));
}

const replaceBy =
  (value: unknown): Change =>
  () =>
    value;

function below(schema: AnySchema, value: unknown): Below[] {
  return [...wrongKinds(schema.form), ...wrongValues(schema.form, value), ...inside(schema.form, value)];
}

const kinds = { null: null, flag: true, number: 5.5, text: 'x', list: [], object: {} } as const;

const fitting: Readonly<Record<Form['is'], readonly (keyof typeof kinds)[]>> = {
  text: ['text'],
  // The number among the kinds is no whole one.
  integer: [],
  flag: ['flag'],
  choice: [],
  list: ['list'],
  record: ['object'],
  object: [],
  variants: [],
  'by-key': [],
  nullable: [],
  json: [],
};

/** Values of every other type. */
function wrongKinds(form: Form): Below[] {
  if (form.is === 'nullable') return wrongKinds(form.inner.form).filter(({ what }) => what !== 'null for it');
  if (form.is === 'json' && form.kind === 'value') return [];
  const accepted: readonly string[] = form.is === 'json' ? ['object'] : fitting[form.is];
  return Object.entries(kinds)
    .filter(([kind]) => !accepted.includes(kind))
    .filter(([, value]) => !(form.is === 'choice' && form.values.some((allowed) => allowed === value)))
    .filter(([kind]) => !(form.is === 'object' && form.required.length === 0 && kind === 'object'))
    .map(([kind, value]) => ({ what: `${kind} for it`, path: '', change: replaceBy(value) }));
}

const longest = 200_000;

/** Values of the right type that are out of range. */
function wrongValues(form: Form, value: unknown): Below[] {
  const as = (what: string, wrong: unknown): Below => ({ what, path: '', change: replaceBy(wrong) });
  switch (form.is) {
    case 'text': {
      const hostile = [
        '',
        ' ',
        '\u0000',
        '__proto__',
        'constructor',
        '../..',
        'http://[',
        '{{',
        'x'.repeat(300),
      ];
      return [
        ...(form.max < longest ? [as('too long a text', 'x'.repeat(form.max + 1))] : []),
        ...hostile
          .filter(
            (text) => text.length < form.min || text.length > form.max || form.pattern?.test(text) === false,
          )
          .map((text) => as(`the text ${JSON.stringify(text.slice(0, 20))}`, text)),
      ];
    }
    case 'integer':
      return [
        ...(form.min > Number.MIN_SAFE_INTEGER ? [as('too small a number', form.min - 1)] : []),
        ...(form.max < Number.MAX_SAFE_INTEGER ? [as('too large a number', form.max + 1)] : []),
        as('a number beyond what is exact', 1e300),
      ];
    case 'choice':
      return ['no-such-choice', '__proto__', 'constructor'].map((text) => as(`the choice ${text}`, text));
    case 'list':
      return [
        ...(form.min > 0 ? [as('too few entries', [])] : []),
        ...(form.max <= 1_000 && Array.isArray(value) && value.length > 0
          ? [
              as(
                'too many entries',
                Array.from({ length: form.max + 1 }, () => (value as unknown[])[0]),
              ),
            ]
          : []),
      ];
    case 'json':
      return form.kind === 'schema'
        ? [
            as('a schema of no type', { type: 'nonsense' }),
            as('a schema with properties that are none', { properties: 5 }),
            as('a schema with a name of its own meaning', withField({}, '__proto__', {})),
            as('a schema that is too deep', nested(300)),
          ]
        : [as('a value that is too deep', nested(300)), as('a hostile name', withField({}, '__proto__', {}))];
    default:
      return [];
  }
}

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let i = 0; i < levels; i++) value = { not: value };
  return value;
}

/** A copy with a field more, less, or other; also one that plain assignment could not make. */
function withField(object: object, name: string, value: unknown): object {
  const copy: object = {};
  for (const [key, kept] of Object.entries(object)) if (key !== name) define(copy, key, kept);
  if (value !== gone) define(copy, name, value);
  return copy;
}

function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function at(name: string, { what, path, change }: Below): Below {
  return {
    what,
    path: `/${escapePointer(name)}${path}`,
    change: (parent) => {
      const copy = withField(
        parent as object,
        name,
        change((parent as Readonly<Record<string, unknown>>)[name]),
      );
      return Array.isArray(parent) ? Object.values(copy) : copy;
    },
  };
}

/** Changes of what is inside a value. */
function inside(form: Form, value: unknown): Below[] {
  switch (form.is) {
    case 'object':
      return isObject(value) ? insideObject(form, value) : [];
    case 'variants': {
      if (!isObject(value)) return [];
      const option = form.options.get(String(value[form.tag]));
      const tag = [gone, 'no-such-kind', '__proto__', 5].map((wrong) =>
        at(form.tag, {
          what: wrong === gone ? 'it is missing' : `the kind ${String(wrong)}`,
          path: '',
          change: replaceBy(wrong),
        }),
      );
      return [...tag, ...(option === undefined ? [] : inside(option.form, value))];
    }
    case 'by-key': {
      if (!isObject(value)) return [];
      const [decides, ...others] = [...form.options.keys()].filter((name) => name in value);
      // Without the field that decides it may be one of the other objects.
      return inside(form.options.get(decides!)!.form, value).filter(
        ({ what, path }) => others.length === 0 || what !== 'it is missing' || path !== `/${decides}`,
      );
    }
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item, i) => below(form.item, item).map((inner) => at(String(i), inner)))
        : [];
    case 'record':
      return isObject(value) ? insideRecord(form, value) : [];
    case 'nullable':
      return value === null ? [] : inside(form.inner.form, value);
    default:
      return [];
  }
}

const hostileNames = ['noSuchField', '__proto__', 'constructor', 'toString', 'k'.repeat(5_000)];

function insideObject(form: Form & { is: 'object' }, value: Readonly<Record<string, unknown>>): Below[] {
  const known = [...form.fields].flatMap(([name, field]) =>
    (value[name] === undefined ? wrongKinds(field.form) : below(field, value[name])).map((inner) =>
      at(name, inner),
    ),
  );
  const missing = form.required.map((name) =>
    at(name, { what: 'it is missing', path: '', change: replaceBy(gone) }),
  );
  const extra = hostileNames.map((name) =>
    at(name, { what: 'a field too many', path: '', change: replaceBy({ a: 1 }) }),
  );
  return [...known, ...missing, ...extra];
}

function insideRecord(form: Form & { is: 'record' }, value: Readonly<Record<string, unknown>>): Below[] {
  const entries = Object.entries(value).flatMap(([name, inner]) =>
    below(form.value, inner).map((change) => at(name, change)),
  );
  const [first] = Object.values(value);
  const names = ['__proto__', ...(hasPattern(form.key) ? ['bad name\n', ''] : [])];
  return [
    ...entries,
    ...names.map((name) => at(name, { what: 'a hostile name', path: '', change: replaceBy(first ?? {}) })),
  ];
}

function hasPattern({ form }: AnySchema): boolean {
  return form.is === 'text' && form.pattern !== null;
}
