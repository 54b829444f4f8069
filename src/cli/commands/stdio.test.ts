import { expect, it } from 'vitest';
import { UsageError } from '../command.ts';
import { serverAddress } from './stdio.ts';

it.each([
  ['https://gw.test', 'weather', undefined, 'https://gw.test/mcp/weather'],
  ['https://gw.test/', 'weather', 'search', 'https://gw.test/mcp/weather?mode=search'],
  ['https://gw.test/mcp', 'weather', undefined, 'https://gw.test/mcp/weather'],
  ['https://gw.test/mcp/weather', 'weather', undefined, 'https://gw.test/mcp/weather'],
  ['https://gw.test/base/mcp/?x=1', 'weather', undefined, 'https://gw.test/base/mcp/weather?x=1'],
  ['https://gw.test/mcp/weather', undefined, 'code', 'https://gw.test/mcp/weather?mode=code'],
  ['https://gw.test', undefined, undefined, 'https://gw.test/'],
])('%s with server %s and mode %s is %s', (url, slug, mode, address) => {
  expect(serverAddress(url, slug, mode)).toBe(address);
});

it('refuses two different servers', () => {
  expect(() => serverAddress('https://gw.test/mcp/weather', 'maps', undefined)).toThrow(UsageError);
});
