import { expect, test } from 'vitest';
import { schemaOfInputs } from './schema-of-inputs.ts';

test.each([
  ['return input.city;', ['city']],
  ['await tools.shop.list({ id: input.id, tag: input?.tag, id2: input.id })', ['id', 'tag']],
  [`return input['first name'] + input["last"];`, ['first name', 'last']],
  ['const { from, to = 5, step: by, ...rest } = input;', ['from', 'to', 'step']],
  ['return myinput.city + inputs.city;', []],
])('%s has the inputs %j', (code, names) => {
  expect(schemaOfInputs(code)).toEqual({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
  });
});
