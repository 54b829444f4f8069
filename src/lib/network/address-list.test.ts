import { describe, expect, it } from 'vitest';
import { parseAddressList } from './address-list.ts';

describe('a list of addresses', () => {
  it.each([
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['10.200.3.4', true],
    ['11.0.0.1', false],
    ['2001:db8::5', true],
    ['2001:db9::5', false],
    ['not an address', false],
    ['', false],
  ])('tells whether it has %s', (address, wanted) => {
    expect(parseAddressList(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']).has(address)).toBe(wanted);
  });

  it.each(['true', 'localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/1', '10.0.0.0/x', ''])(
    'refuses %j',
    (entry) => {
      expect(() => parseAddressList([entry])).toThrow(/neither an address nor a network/);
    },
  );
});
