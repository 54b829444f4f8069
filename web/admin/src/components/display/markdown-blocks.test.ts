import { expect, it } from 'vitest';
import { markdownBlocks } from './markdown-blocks.ts';

it('reads headings, lists, code, tables and emphasis', () => {
  const text = [
    '## Orders',
    'Seven are **open**, see `list_orders`.',
    '',
    '1. First',
    '   goes on',
    '2. Second',
    '```json',
    '{"a": "**b**"}',
    '```',
    '| id | state |',
    '|---|---|',
    '| 1 | *open* |',
    '---',
    '> quoted',
  ].join('\n');
  expect(markdownBlocks(text)).toEqual([
    { kind: 'heading', spans: [{ kind: 'text', text: 'Orders' }] },
    {
      kind: 'paragraph',
      lines: [
        [
          { kind: 'text', text: 'Seven are ' },
          { kind: 'strong', text: 'open' },
          { kind: 'text', text: ', see ' },
          { kind: 'code', text: 'list_orders' },
          { kind: 'text', text: '.' },
        ],
      ],
    },
    {
      kind: 'list',
      isOrdered: true,
      start: 1,
      items: [
        { depth: 0, spans: [{ kind: 'text', text: 'First goes on' }] },
        { depth: 0, spans: [{ kind: 'text', text: 'Second' }] },
      ],
    },
    { kind: 'code', text: '{"a": "**b**"}' },
    {
      kind: 'table',
      head: [[{ kind: 'text', text: 'id' }], [{ kind: 'text', text: 'state' }]],
      rows: [[[{ kind: 'text', text: '1' }], [{ kind: 'emphasis', text: 'open' }]]],
    },
    { kind: 'rule' },
    { kind: 'quote', lines: [[{ kind: 'text', text: 'quoted' }]] },
  ]);
});

it.each(['[Click](javascript:alert(1))', '<img src=x onerror=alert(1)>', '[Click](data:text/html,x)'])(
  'leaves %s as text',
  (text) => {
    expect(markdownBlocks(text)).toEqual([{ kind: 'paragraph', lines: [[{ kind: 'text', text }]] }]);
  },
);

it('ends with the text when a block is not finished yet', () => {
  expect(markdownBlocks('```\nhalf')).toEqual([{ kind: 'code', text: 'half' }]);
  expect(markdownBlocks('**half')).toEqual([
    { kind: 'paragraph', lines: [[{ kind: 'text', text: '**half' }]] },
  ]);
});
