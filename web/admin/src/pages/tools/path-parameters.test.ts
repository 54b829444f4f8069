import { expect, test } from 'vitest';
import type { Parameter } from '../../api/resources.ts';
import { fitToPath, namesInPath } from './path-parameters.ts';

test('finds the names in braces, without duplicates', () => {
  expect(namesInPath('/pets/{petId}/toys/{toy}.{petId}')).toEqual(['petId', 'toy']);
});

test('adds what a path needs, keeps existing settings, drops parameters without a placeholder', () => {
  const query: Parameter = { name: 'limit', in: 'query', required: false, schema: {} };
  const pet: Parameter = {
    name: 'which_pet',
    key: 'petId',
    in: 'path',
    required: true,
    schema: { type: 'integer' },
  };
  const [toy, ...kept] = fitToPath([pet, query], '/pets/{petId}/toys/{toy}');
  expect(toy).toMatchObject({ name: 'toy', in: 'path', required: true });
  expect(kept).toEqual([pet, query]);
  expect(fitToPath([pet, query], '/pets')).toEqual([query]);
});
