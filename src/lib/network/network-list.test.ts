import { describe, expect, it } from 'vitest';
import { addressKind, parseAddress, parseNetworkList } from './network-list.ts';

const kindOf = (text: string) => {
  const address = parseAddress(text);
  return address === null ? null : addressKind(address);
};

describe('address kinds', () => {
  it.each(['1.1.1.1', '8.8.8.8', '2606:4700::1111', '[2001:4860:4860::8888]', '::ffff:8.8.8.8'])(
    'calls %s public',
    (text) => {
      expect(kindOf(text)).toBe('public');
    },
  );

  it.each([
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    'fd12::1',
    '::ffff:10.0.0.1',
    '198.18.0.1',
  ])('calls %s internal', (text) => {
    expect(kindOf(text)).toBe('internal');
  });

  it.each([
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    '0.0.0.0',
    '::',
    '0.1.2.3',
    '255.255.255.255',
    '224.0.0.1',
    'ff02::1',
    'fe80::1%eth0',
    'fec0::1',
    '::7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '::ffff:0:127.0.0.1',
    '4000::1',
    '100::1',
  ])('calls %s restricted', (text) => {
    expect(kindOf(text)).toBe('restricted');
  });

  it('takes a name for no address', () => {
    expect(parseAddress('example.com')).toBeNull();
    expect(parseAddress('2130706433')).toBeNull();
  });
});

describe('parseNetworkList', () => {
  it('matches a host with and without a port', () => {
    const list = parseNetworkList(['api.example.com:8443', 'Other.Example', '*.wild.example']);
    expect(list.matchesHost('api.example.com', 8443)).toBe(true);
    expect(list.matchesHost('api.example.com', 443)).toBe(false);
    expect(list.matchesHost('OTHER.example.', 1)).toBe(true);
    expect(list.matchesHost('a.b.wild.example', 1)).toBe(true);
    expect(list.matchesHost('wild.example', 1)).toBe(false);
  });

  it('matches addresses and networks, mapped forms included', () => {
    const list = parseNetworkList(['127.0.0.1:9000', '10.0.0.0/8', '[fd00::/8]:443', '::1', ' ']);
    const matches = (text: string, port: number) => list.matchesAddress(parseAddress(text)!, port);
    expect(matches('127.0.0.1', 9000)).toBe(true);
    expect(matches('::ffff:127.0.0.1', 9000)).toBe(true);
    expect(matches('127.0.0.1', 9001)).toBe(false);
    expect(matches('10.200.0.1', 1)).toBe(true);
    expect(matches('11.0.0.1', 1)).toBe(false);
    expect(matches('fd12::1', 443)).toBe(true);
    expect(matches('fd12::1', 80)).toBe(false);
    expect(matches('::1', 80)).toBe(true);
  });

  it.each([
    'http://x',
    'a b',
    '10.0.0.0/33',
    'host:0',
    'host:99999',
    '[::1',
    '2130706433',
    '0x7f.1',
    'x/8',
    'user@host',
    '*',
    'host:port',
  ])('refuses %s and names it', (entry) => {
    expect(() => parseNetworkList(['ok.example', entry])).toThrow(JSON.stringify(entry));
  });
});
