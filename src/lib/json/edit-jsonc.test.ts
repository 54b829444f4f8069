import { describe, expect, it } from 'vitest';
import { addToJsoncList, JsoncError, setInJsonc } from './edit-jsonc.ts';
import fc from '../../../test/support/property.ts';

it('keeps comments, order, indentation and trailing commas', () => {
  const text = [
    '// settings of the editor',
    '{',
    '\t"theme": "dark", // at night',
    '\t"servers": {',
    '\t\t/* ours */ "one": { "url": "x" } // keep',
    '\t},',
    '}',
    '',
  ].join('\n');
  expect(setInJsonc(text, ['servers', 'two'], { url: 'y' })).toBe(
    [
      '// settings of the editor',
      '{',
      '\t"theme": "dark", // at night',
      '\t"servers": {',
      '\t\t/* ours */ "one": { "url": "x" }, // keep',
      '\t\t"two": {',
      '\t\t\t"url": "y"',
      '\t\t}',
      '\t},',
      '}',
      '',
    ].join('\n'),
  );
});

it('replaces a value and nothing around it', () => {
  expect(setInJsonc('{"a": {"b": 1 /* one */}, "c": [1,2,]}', ['a', 'b'], 2)).toBe(
    '{"a": {"b": 2 /* one */}, "c": [1,2,]}',
  );
});

it('makes what is missing, from nothing too', () => {
  expect(JSON.parse(setInJsonc('', ['a', 'b'], 1))).toEqual({ a: { b: 1 } });
  expect(JSON.parse(setInJsonc('{}', ['a', 'b'], 1))).toEqual({ a: { b: 1 } });
  expect(setInJsonc('{\r\n  "x": 1,\r\n}\r\n', ['a'], 1)).toBe('{\r\n  "x": 1,\r\n  "a": 1,\r\n}\r\n');
});

it('edits after a byte order mark, and keeps it', () => {
  expect(setInJsonc('\uFEFF{\n  "x": 1,\n}', ['a'], 1)).toBe('\uFEFF{\n  "x": 1,\n  "a": 1,\n}');
});

it('replaces the value that counts when a name is repeated', () => {
  expect(setInJsonc('{"a": 1, "a": 2}', ['a'], 3)).toBe('{"a": 1, "a": 3}');
});

it.each(['{} /* open', '[]', '{"a": 1', '{"a": 5}', '{a: 1}', '{} {}', 'nonsense', '{"a" "b"}'])(
  'refuses %s',
  (text) => {
    expect(() => setInJsonc(text, ['a', 'b'], 1)).toThrow(JsoncError);
  },
);

describe('a list', () => {
  const item = { id: 'b', type: 'x' };
  const uncommented = (text: string): unknown =>
    JSON.parse(text.replaceAll(/\/\/.*$|\/\*.*?\*\//gm, '').replaceAll(/,(?=\s*[\]}])/g, ''));

  it.each([
    ['', [item]],
    ['{}', [item]],
    ['{"inputs": []}', [item]],
    ['{\n  "inputs": [ // none yet\n  ]\n}', [item]],
    ['{"inputs": [{"id": "a"}]}', [{ id: 'a' }, item]],
    ['{"inputs": [{"id": "a"} /* mine */, ]}', [{ id: 'a' }, item]],
    ['{\n  "inputs": [\n    { "id": "a" }, // mine\n  ],\n}', [{ id: 'a' }, item]],
    ['{"inputs": [{"id": "b", "own": 1}], "z": 1}', [{ id: 'b', own: 1 }]],
    ['{"inputs": ["b", 3]}', ['b', 3, item]],
  ])('is given one more object, unless it has it: %j', (text, expected) => {
    const edited = addToJsoncList(text, 'inputs', item);
    expect(uncommented(edited)).toHaveProperty('inputs', expected);
    expect(edited.includes('mine')).toBe(text.includes('mine'));
    expect(addToJsoncList(edited, 'inputs', item)).toBe(edited);
  });

  it('keeps a comment with the object it follows', () => {
    expect(addToJsoncList('{\n  "inputs": [\n    { "id": "a" } // mine\n  ]\n}', 'inputs', item)).toBe(
      '{\n  "inputs": [\n    { "id": "a" }, // mine\n    {\n      "id": "b",\n      "type": "x"\n    }\n  ]\n}',
    );
  });

  it.each(['[]', '{"inputs": {}}', '{"inputs": [', '{"inputs": [}'])('is left alone in %s', (text) => {
    expect(() => addToJsoncList(text, 'inputs', item)).toThrow(JsoncError);
  });
});

it('is the same as setting the value in the parsed document', () => {
  const key = fc.string({ maxLength: 5 }).filter((name) => name !== '__proto__');
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.jsonValue()),
      fc.array(key, { minLength: 1, maxLength: 3 }),
      fc.jsonValue(),
      fc.constantFrom(undefined, 1, 2, '\t'),
      (root, path, value, indent) => {
        const expected = JSON.parse(JSON.stringify(root)) as Record<string, unknown>;
        let node = expected;
        for (const name of path.slice(0, -1)) {
          const inner = Object.hasOwn(node, name) ? node[name] : undefined;
          fc.pre(
            inner === undefined || (typeof inner === 'object' && inner !== null && !Array.isArray(inner)),
          );
          node = (node[name] = inner ?? {}) as Record<string, unknown>;
        }
        node[path.at(-1)!] = value;
        const edited = setInJsonc(JSON.stringify(root, null, indent), path, value);
        expect(JSON.parse(edited)).toEqual(JSON.parse(JSON.stringify(expected)));
      },
    ),
  );
});
