import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isObject } from '../src/lib/json/plain-object.ts';

interface Entry {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly engines?: { readonly node?: string } | readonly string[];
}

const lock: { readonly packages: Readonly<Record<string, Entry>> } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
);
const installed = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

it('pins every package by its hash', () => {
  const unpinned = installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path);
  expect(installed.length).toBeGreaterThan(100);
  expect(unpinned, 'run "npm run lockfile-hashes"').toEqual([]);
});

it('names no registry', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

it('has no package that excludes the oldest Node that we support', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string };
  };
  const floor = engines.node.replace('>=', '');
  const excluding = installed
    .map(([path, entry]) => [path, isObject(entry.engines) ? (entry.engines['node'] ?? '*') : '*'] as const)
    .filter(([, range]) => !includes(range, floor));
  expect(excluding, 'choose another version, or override it in package.json').toEqual([]);
});

it.each([
  ['>=18', true],
  ['^20.19.0 || >=22.12.0', true],
  ['18 || 20 || >=22', true],
  ['>= 6.0.0', true],
  ['*', true],
  ['>=20.19', true],
  ['>=16 <21', true],
  ['^12 || ^14.2', false],
  ['>=22', false],
  ['>=20.20', false],
  ['^22 || >=24', false],
  ['>=16 <20', false],
])('reads the range %s', (range, isIn) => expect(includes(range, '20.19')).toBe(isIn));

/** Whether a version is in a range, in the forms that `engines` have. */
function includes(range: string, version: string): boolean {
  const wanted = parts(version);
  return range.split('||').some((choice) =>
    [...choice.matchAll(/(>=|<=|>|<|\^|~|=)?\s*v?(\d+(?:\.\d+|\.x)*|\*)/g)].every(
      ([, sign = '', text = '']) => {
        if (text === '*') return true;
        const given = parts(text);
        const order = compare(wanted, given);
        const digits = text.split('.').filter((part) => part !== 'x').length;
        if (sign === '>=') return order >= 0;
        if (sign === '<=') return order <= 0;
        if (sign === '>') return order > 0;
        if (sign === '<') return order < 0;
        if (sign === '^') return order >= 0 && wanted[0] === given[0];
        const same = sign === '~' ? Math.min(digits, 2) : digits;
        return wanted.slice(0, same).every((part, at) => part === given[at]) && (sign !== '~' || order >= 0);
      },
    ),
  );
}

const parts = (version: string): readonly number[] =>
  [0, 1, 2].map((at) => Number.parseInt(version.split('.')[at] ?? '0', 10) || 0);
const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((part, at) => part - b[at]!).find((difference) => difference !== 0) ?? 0;
