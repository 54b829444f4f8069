import { expect, it } from 'vitest';
import { asAddress, isDocument } from './document-word.ts';

it.each([
  ['https://api.example.com/openapi.json', 'https://api.example.com/openapi.json'],
  ['localhost', 'http://localhost'],
  ['localhost:3000/docs', 'http://localhost:3000/docs'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['[::1]:3000', 'http://[::1]:3000'],
  ['orders.internal:8080', 'http://orders.internal:8080'],
  ['api.example.com/openapi.yaml', 'https://api.example.com/openapi.yaml'],
  ['petstore.yaml', null],
  ['./petstore.yaml', null],
  ['imprt', null],
  ['package.json', null],
  ['https://', null],
])('%s is the address %s', (word, address) => {
  expect(asAddress(word)).toBe(address);
});

it.each([
  ['petstore.yaml', true],
  ['folder/petstore', true],
  ['package.json', true],
  ['src', true],
  ['localhost:3000', true],
  ['imprt', false],
  ['doctr', false],
])('%s is a document: %s', (word, is) => {
  expect(isDocument(word)).toBe(is);
});
