import fc from './property.ts';

/** A schema as a test makes it. */
export type Schema = Record<string, unknown>;

const names = fc.constantFrom('a', 'b', 'c');
const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>(
    {},
    { type: 'boolean' },
    { type: 'null' },
    { type: 'string', minLength: 1, maxLength: 3 },
    { type: 'string', pattern: '^[a-k]$' },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'x-own' },
    { type: 'integer', minimum: 0, exclusiveMaximum: 4 },
    { type: 'number', multipleOf: 0.5 },
    { type: ['string', 'null'], minLength: 2 },
    { type: ['integer', 'string'], minimum: 2, maxLength: 1 },
    { type: ['array', 'object', 'null'], items: { type: 'string' }, properties: { a: { type: 'integer' } } },
    { type: ['array', 'string'], minItems: 1, pattern: '^k' },
    { const: 'k' },
    { const: 1 },
    { const: null },
    { enum: ['a', 'b', null] },
    { enum: [1, 'k', true] },
    { enum: [1, 1.5] },
    { $ref: '#/$defs/tree' },
    { $ref: '#/$defs/name', minLength: 1 },
    { $ref: '#/$defs/closed', properties: { b: {} } },
    { $ref: '#/$defs/nullable' },
    { not: { type: 'string' } },
    { minLength: 2 },
  ),
);

const { node: schemas, object: objects } = fc.letrec<{ node: Schema; object: Schema }>((tie) => {
  const node = tie('node');
  const members = fc.array(node, { minLength: 1, maxLength: 3 });
  const properties = fc.dictionary(names, fc.oneof(node, fc.boolean() as fc.Arbitrary<never>), {
    maxKeys: 3,
  });
  const required = fc.uniqueArray(names, { maxLength: 2 });
  const object = fc
    .record(
      {
        type: fc.constantFrom<unknown>('object', ['object', 'null']),
        properties,
        required,
        additionalProperties: fc.oneof(fc.boolean() as fc.Arbitrary<unknown>, node),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b|c'), node, { minKeys: 1, maxKeys: 1 }),
        minProperties: fc.constantFrom(0, 1),
        maxProperties: fc.constantFrom(1, 3),
        propertyNames: fc.constant({ maxLength: 1 }),
        dependentRequired: fc.constant({ a: ['b'] }),
        unevaluatedProperties: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    )
    .map((schema) => schema as Schema);
  const list = fc
    .record(
      {
        type: fc.constant('array'),
        items: fc.oneof(node, fc.boolean() as fc.Arbitrary<never>),
        prefixItems: fc.array(node, { minLength: 1, maxLength: 2 }),
        minItems: fc.constantFrom(0, 1),
        maxItems: fc.constantFrom(1, 2),
        uniqueItems: fc.boolean(),
        contains: node,
      },
      { requiredKeys: ['type'] },
    )
    .map((schema) => schema as Schema);
  const union = fc.oneof(
    fc.record({ oneOf: members }),
    fc.record({ anyOf: members }),
    fc.record({ anyOf: members, oneOf: members }),
    fc.record({ allOf: members }),
    fc.tuple(object, members).map(([own, oneOf]) => ({ ...own, oneOf })),
    fc.tuple(object, members).map(([own, allOf]) => ({ ...own, allOf })),
    fc.tuple(node, node).map(([test, otherwise]) => ({ if: test, else: otherwise })),
  ) as fc.Arbitrary<Schema>;
  return { node: fc.oneof({ maxDepth: 3 }, leaf, object, list, union), object };
});

const $defs = {
  tree: { type: 'object', properties: { a: { type: 'string' }, b: { $ref: '#/$defs/tree' } } },
  name: { type: 'string', maxLength: 2 },
  closed: { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false },
  nullable: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/name' }] },
};
/** Schemas of arguments: objects with everything JSON Schema has, references included. */
export const roots = fc
  .oneof(
    fc.dictionary(names, schemas, { maxKeys: 3 }).map((properties): Schema => ({ properties })),
    // The root has to be one object, in which a property of one branch is told as that branch has it: open branches
    // beside it would allow anything there, and telling that would tell nothing.
    fc
      .array(
        fc.dictionary(names, schemas, { maxKeys: 3 }).map((properties) => ({
          type: 'object',
          properties,
          additionalProperties: false,
        })),
        { minLength: 1, maxLength: 3 },
      )
      .map((oneOf): Schema => ({ oneOf })),
    fc.record({ allOf: fc.array(objects, { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<Schema>,
  )
  .map((root): Schema => ({ type: 'object', ...root, $defs }));

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('k', 'a', 'ab', 'abc', '2026-01-01', '', 0, 1, 1.5, 3, 7, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
/** Arguments to try on them. */
export const inputs = fc.array(fc.dictionary(names, values, { maxKeys: 3 }), {
  minLength: 12,
  maxLength: 24,
});
