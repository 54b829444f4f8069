import { expect, it } from 'vitest';
import { isPlainHost } from './host-names.ts';

it.each([
  'api.example.com',
  'a_b.example',
  '127.0.0.1:8080',
  '[::1]:80',
  'xn--bcher-kva.example',
  '{region}.example.com',
])('%s is a host', (host) => expect(isPlainHost(host)).toBe(true));

it.each(['a"b', "a'b", 'a`b', 'a;b', 'a,b', 'a$b', 'a*b', 'a!b', 'a(b)', '', 'a b', '[::1'])(
  '%j is not',
  (host) => expect(isPlainHost(host)).toBe(false),
);
