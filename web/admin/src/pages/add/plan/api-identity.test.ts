import { expect, it } from 'vitest';
import { unsetBaseUrl } from '#domain/fields/addresses.ts';
import type { ImportResult } from '../../../api/resources.ts';
import { given, identityFault, plannedBaseUrl } from './api-identity.ts';

const plan = { api: 'pets', name: 'Pets', baseUrl: 'https://pets.example.com' };
const unset = { ...plan, baseUrl: unsetBaseUrl };

it('sends only what is not as the document has it', () => {
  const all = plan as unknown as ImportResult;
  expect(given({}, all)).toEqual({});
  expect(given({ api: 'pets', name: ' Pets ', baseUrl: 'https://pets.example.com' }, all)).toEqual({});
  expect(given({ api: 'zoo', name: 'Zoo', baseUrl: ' http://localhost:3000 ' }, all)).toEqual({
    api: 'zoo',
    name: 'Zoo',
    baseUrl: 'http://localhost:3000',
  });
});

it.each([
  [{}, plan, null],
  [{ name: '  ' }, plan, 'name'],
  [{ api: '' }, plan, 'api'],
  [{ baseUrl: 'pets.example.com' }, plan, 'baseUrl'],
  [{ baseUrl: 'ftp://pets.example.com' }, plan, 'baseUrl'],
  [{}, unset, 'baseUrl'],
  [{ baseUrl: 'http://127.0.0.1:8080/v1' }, unset, null],
] as const)('finds what is wrong with %j', (typed, of, fault) => {
  expect(identityFault(typed, of)).toBe(fault);
});

it('shows no address where the document names none', () => {
  expect([plannedBaseUrl(plan), plannedBaseUrl(unset)]).toEqual(['https://pets.example.com', '']);
});
