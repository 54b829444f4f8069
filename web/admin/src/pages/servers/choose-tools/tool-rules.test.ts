import { describe, expect, it } from 'vitest';
import fc from '../../../../../../test/support/property.ts';
import { chosenBy, exclude, include, type RuledTool, type ToolRule } from './tool-rules.ts';

const tools: readonly RuledTool[] = [
  { id: 'pets1', api: 'shop', tags: ['pets'] },
  { id: 'pets2', api: 'shop', tags: ['pets', 'read'] },
  { id: 'orders1', api: 'shop', tags: ['orders'] },
  { id: 'plain', api: 'shop', tags: [] },
  { id: 'mail1', api: 'mail', tags: ['read'] },
  { id: 'mail2', api: 'mail', tags: [] },
];

describe('deselecting tools', () => {
  it.each<[string, ToolRule[], string[], ToolRule[]]>([
    [
      'splits an API into its other tags, and tools without one',
      [{ api: 'shop' }],
      ['orders1'],
      [{ api: 'shop', tag: 'pets' }, { tool: 'plain' }],
    ],
    ['splits everything into APIs', [{ all: true }], ['mail1', 'mail2'], [{ api: 'shop' }]],
    ['splits a tag of all APIs', [{ tag: 'read' }], ['pets2'], [{ api: 'mail', tag: 'read' }]],
    ['drops a tool that was named', [{ tool: 'pets1' }, { tool: 'plain' }], ['pets1'], [{ tool: 'plain' }]],
    [
      'leaves what does not choose it, in its place',
      [{ tool: 'plain' }, { api: 'shop', tag: 'orders' }, { api: 'mail' }],
      ['mail2'],
      [{ tool: 'plain' }, { api: 'shop', tag: 'orders' }, { api: 'mail', tag: 'read' }],
    ],
    ['keeps a rule that chooses nothing yet', [{ tag: 'later' }], ['plain'], [{ tag: 'later' }]],
  ])('%s', (_name, rules, left, expected) => {
    expect(exclude(rules, new Set(left), tools)).toEqual(expected);
  });
});

describe('selecting tools', () => {
  it('adds a group once, and a tool only if it is not selected yet', () => {
    const rules = include([{ api: 'shop' }], [{ tool: 'pets1' }, { tool: 'mail1' }, { api: 'shop' }], tools);
    expect(rules).toEqual([{ api: 'shop' }, { tool: 'mail1' }]);
  });
});

const toolOf = fc.record({
  id: fc.integer({ min: 0, max: 40 }).map(String),
  api: fc.constantFrom('a', 'b', 'c'),
  tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
});
const ruleOf = fc.oneof(
  fc.constant<ToolRule>({ all: true }),
  fc.constantFrom<ToolRule>({ api: 'a' }, { api: 'b', tag: 'x' }, { tag: 'y' }, { api: 'c' }),
  fc.integer({ min: 0, max: 40 }).map((id): ToolRule => ({ tool: String(id) })),
);

it('selects what was selected except the deselected tools, whatever the rules', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(toolOf, { selector: ({ id }) => id, maxLength: 30 }),
      fc.array(ruleOf, { maxLength: 6 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 20 }),
      (some, rules, left) => {
        const before = chosenBy(rules, some);
        const after = chosenBy(exclude(rules, new Set(left), some), some);
        expect([...after].toSorted()).toEqual([...before].filter((id) => !left.includes(id)).toSorted());
      },
    ),
  );
});
