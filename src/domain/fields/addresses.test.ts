import { describe, expect, it } from 'vitest';
import { problemsIn } from '../../lib/schema/problems.ts';
import { asParsed, baseUrlFault, originText } from './addresses.ts';

describe('an address as it is stored', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com/'],
    ['HTTPS://API.Example.COM:443/V1', 'https://api.example.com/V1'],
    ['https://api.exa\tmple.com\n/v1', 'https://api.example.com/v1'],
    ['  https://api.example.com/v1 ', 'https://api.example.com/v1'],
    ['https:\\\\api.example.com\\v1', 'https://api.example.com/v1'],
    ['https://api.example.com/a/../b', 'https://api.example.com/b'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://127.1', 'http://127.0.0.1'],
    ['https://api.example.com?key=1', 'https://api.example.com/?key=1'],
    ['not an address', 'not an address'],
  ])('%j is %j', (written, stored) => {
    expect(asParsed(written)).toBe(stored);
    expect(asParsed(stored)).toBe(stored);
    if (URL.canParse(written)) expect(baseUrlFault(stored)).toBe(baseUrlFault(written));
  });
});

it('refuses a host with characters that host names cannot have, wherever an address is stored', () => {
  expect(baseUrlFault('https://a"b/')).toContain('host name');
  expect(baseUrlFault('https://{region}.example.com/v1')).toBeNull();
  expect(problemsIn(originText, 'https://a"b')).not.toEqual([]);
});
