import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }));
const ours = (ending: string) =>
  files.filter(({ path }) => path.endsWith(ending) && !path.includes('.test.') && !path.startsWith('i18n/'));

const spaces = new Set([1, 2, 4, 6, 8, 10, 12, 14, 16, 20]);
const radii = new Set([2, 4, 6, 8, 10, 12, 99]);
const pixels = (value: string) =>
  [...value.matchAll(/(\d+(?:\.\d+)?)px/g)].map(([, number]) => Number(number));

describe('styles', () => {
  it('take text sizes from one scale', () => {
    const off = ours('.css').flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /font(?:-size)?: (?!inherit|(?:\d{3} )?var\(--(?:font-|mantine-font-size-)|0\.92em)[^;]*/g,
        ),
      ].map(([found]) => `${path}: ${found}`),
    );
    expect(off).toEqual([]);
  });

  it('take spaces and corners from one scale; larger ones are multiples of four', () => {
    const off = ours('.css').flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /(?:^|[\s;{])((?:row-|column-)?gap|(?:padding|margin|border-radius)[a-z-]*):([^;]*)/g,
        ),
      ].flatMap(([, property, value]) =>
        pixels(value!)
          .filter((size) =>
            property!.startsWith('border')
              ? !radii.has(size)
              : !spaces.has(size) && !(size > 20 && size % 4 === 0),
          )
          .map((size) => `${path}: ${property} ${size}px`),
      ),
    );
    expect(off).toEqual([]);
  });
});

/** What plays a role, and the only files that may use it. */
const roles: readonly (readonly [role: string, use: RegExp, files: readonly string[]])[] = [
  ['a select', /\bNativeSelect\b/, ['components/inputs/SelectInput.tsx']],
  ['a checkbox or switch in a row', /type="checkbox"/, ['components/inputs/RowCheckbox.tsx']],
  ['a save bar', /\bSaveBar\.module\.css/, ['editing/SaveBar.tsx']],
  ['a result viewer', /#explorer-page\/result\/content-view/, ['components/display/ResultBlocks.tsx']],
  ['text to copy', /<pre\b/, ['components/display/CodeBlock.tsx', 'components/display/Markdown.tsx']],
  [
    'a table',
    /<table\b|\bTable\b[^'\n]*from '@mantine\/core'|role="table"/,
    [
      'components/charts/HeatMap.tsx',
      'components/charts/TimeChart.tsx',
      'components/display/Markdown.tsx',
      'components/tables/VirtualTable.tsx',
      'pages/analytics/CallerToolPivot.tsx',
      'pages/playground/Checks.tsx',
      'pages/playground/Comparison.tsx',
    ],
  ],
  ['tabs', /role="tab(?:list)?"/, []],
];

it.each(roles)('%s is one component', (_role, use, allowed) => {
  const users = ours('.tsx').flatMap(({ path, text }) => (use.test(text) ? path : []));
  expect(users.toSorted()).toEqual([...allowed]);
});
