import { isIPv6 } from 'node:net';

/** What addresses are counted by: whoever has one IPv6 address usually has a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const missing = address.includes('::') ? 8 - first.length - last.length : 0;
  return [...first, ...Array.from({ length: missing }, () => '0'), ...last].slice(0, 4).join(':');
}
