import { expect, test } from 'vitest';
import { namedFiles } from './dropped-files.ts';

const file = (path: string) =>
  Object.defineProperty(new File(['{}'], path.split('/').at(-1)!), 'webkitRelativePath', { value: path });

test('of a folder, takes what can be a description, in order', () => {
  const names = namedFiles(
    ['api/schemas/pet.yaml', 'api/openapi.yaml', 'api/.git/config.json', 'api/logo.png'].map(file),
  ).map(({ name }) => name);
  expect(names).toEqual(['api/openapi.yaml', 'api/schemas/pet.yaml']);
});

test('takes a lone file whatever it is called', () => {
  expect(namedFiles([file('collection')]).map(({ name }) => name)).toEqual(['collection']);
});
