import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses and networks, such as `127.0.0.1` and `10.0.0.0/8`. */
export interface AddressList {
  has(address: string): boolean;
}

/** Parses addresses and networks. Throws a RangeError that names the entry it can't parse. */
export function parseAddressList(entries: readonly string[]): AddressList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const length = bits === undefined ? most : Number(bits);
    if (
      family === 0 ||
      more.length > 0 ||
      bits === '' ||
      !Number.isInteger(length) ||
      length < 0 ||
      length > most
    )
      throw new RangeError(
        `${JSON.stringify(entry.slice(0, 80))} is neither an address nor a network: write them like 127.0.0.1 or 10.0.0.0/8`,
      );
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    has(address) {
      // A socket that listens on IPv6 reports IPv4 addresses this way.
      const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
      const family = isIP(plain);
      return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/** Whether an address is only reachable from this machine; accepts host names and addresses as written in a URL. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The unit by which addresses are counted: anyone with one IPv6 address usually has a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const missing = address.includes('::') ? 8 - first.length - last.length : 0;
  return [...first, ...Array.from({ length: missing }, () => '0'), ...last].slice(0, 4).join(':');
}
