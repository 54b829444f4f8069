import { describe, expect, it } from 'vitest';
import { suggestionsAt, toolAround } from './suggestions.ts';
import type { ScriptTools } from './value-shapes.ts';

const root = {
  $defs: {
    Pet: {
      type: 'object',
      properties: { name: { type: 'string' }, owner: { $ref: '#/$defs/Owner' } },
    },
    Owner: { allOf: [{ type: 'object', properties: { email: { type: 'string' } } }] },
  },
};
const input = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['sold', 'free'], description: 'Which pets.' },
    limit: { type: 'integer' },
    'x-trace': { type: 'string' },
    near: { type: 'object', properties: { city: { type: 'string' } } },
    filters: { type: 'array', items: { type: 'object', properties: { field: { type: 'string' } } } },
  },
  required: ['status'],
};
const list = { type: 'array', items: { $ref: '#/$defs/Pet' } };
const tools: ScriptTools = {
  paths: ['tools.pets.list_pets', 'tools.pets.get_pet', 'tools.shop.orders'],
  describe: (path) =>
    Promise.resolve(
      path === 'tools.pets.list_pets'
        ? { declaration: '', input: { schema: input, root: input }, reply: { schema: list, root } }
        : undefined,
    ),
};

/** The labels suggested at the position of `|`. */
async function labels(script: string): Promise<string[]> {
  const caret = script.indexOf('|');
  const found = await suggestionsAt(script.replace('|', ''), caret, tools);
  return found?.items.map(({ label }) => label) ?? [];
}

const pets = 'const pets = await tools.pets.list_pets({});';

describe('suggestions in a script', () => {
  it.each([
    ['the APIs', 'await tools.|', ['pets', 'shop']],
    ['the tools of an API', 'await tools.pets.|', ['list_pets', 'get_pet']],
    ['tools whose names hold what was written', 'tools.pets.pet|', ['list_pets', 'get_pet']],
    ['nothing on a property that is called tools', 'mine.tools.|', []],
    ['arguments', 'tools.pets.list_pets({|})', ['status', 'limit', 'x-trace', 'near', 'filters']],
    [
      'arguments that are not there yet',
      "tools.pets.list_pets({ status: 'sold', |})",
      ['limit', 'x-trace', 'near', 'filters'],
    ],
    ['arguments within arguments', 'tools.pets.list_pets({ near: { | } })', ['city']],
    ['arguments within lists', 'tools.pets.list_pets({ filters: [{}, { | }] })', ['field']],
    ['values', "tools.pets.list_pets({ status: '|' })", ['sold', 'free']],
    ['fields of what a list holds', `${pets} pets[0].|`, ['name', 'owner']],
    ['fields of fields', `${pets} pets[0]?.owner.|`, ['email']],
    ['fields in a loop', `${pets} for (const pet of pets) { pet.| }`, ['name', 'owner']],
    ['fields in a callback', `${pets} pets.filter((pet) => pet.|`, ['name', 'owner']],
    [
      'nothing of what a function makes',
      `${pets} pets.filter(Boolean).map((p) => p.owner).find((o) => o.|`,
      [],
    ],
    ['fields after a filter', `${pets} pets.filter(Boolean).at(0).|`, ['name', 'owner']],
    ['fields of what was waited for in brackets', '(await tools.pets.list_pets({}))[0].|', ['name', 'owner']],
    [
      'fields with a type between',
      'const a: Pet[] = await tools.pets.list_pets({}); a[1].|',
      ['name', 'owner'],
    ],
    ['what is taken apart', 'const { | } = (await tools.pets.list_pets({}))[0];', ['name', 'owner']],
    ['what is taken apart in a callback', `${pets} return pets.map(({ | }) => 1)`, ['name', 'owner']],
    ['what every script has', 'pri|', ['print']],
    ['nothing in a remark', '// tools.|', []],
    ['nothing in a text', "'tools.|", []],
    ['nothing of what is not known', 'const x = 1; x.|', []],
    ['nothing where nothing was written', 'return |', []],
  ])('are %s', async (_, script, expected) => {
    expect(await labels(script)).toEqual(expected);
  });

  it('write a call with its brackets, and leave those alone that are there', async () => {
    const insert = async (script: string) =>
      (await suggestionsAt(script, 'tools.pets.li'.length, tools))?.items[0]?.insert;
    expect(await insert('tools.pets.li')).toBe('list_pets({  })');
    expect(await insert('tools.pets.li({})')).toBe('list_pets');
  });

  it('quote names that need it', async () => {
    const script = 'tools.pets.list_pets({ x })';
    const found = await suggestionsAt(script, script.indexOf('x') + 1, tools);
    expect(found?.items[0]).toMatchObject({ label: 'x-trace', insert: `"x-trace": ''`, caretBack: 1 });
  });
});

describe('the tool around a place', () => {
  it.each([
    ['const a = await tools.pets.list_pets({ near: { |', 'tools.pets.list_pets'],
    ['tools.pets.get_pet|', 'tools.pets.get_pet'],
    ['tools.pets.get_pet({ id: 1 }); |', null],
    ['print(await tools.shop.orders({|', 'tools.shop.orders'],
  ])('%s', (script, expected) => {
    expect(toolAround(script.replace('|', ''), script.indexOf('|'))).toBe(expected);
  });
});
