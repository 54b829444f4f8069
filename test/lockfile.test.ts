import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
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
