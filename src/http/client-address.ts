import type { IncomingMessage } from 'node:http';
import { parseAddressList } from '../lib/network/address-list.ts';

/** The address that a request came from: the last one that is no trusted proxy. */
export type ClientAddress = (req: IncomingMessage) => string;

/** Makes it for the proxies that are believed. */
export function createClientAddress(trustProxy: readonly string[]): ClientAddress {
  const proxies = parseAddressList(trustProxy);
  return (req) => {
    let address = req.socket.remoteAddress ?? '';
    if (trustProxy.length === 0) return address;
    const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    while (proxies.has(address)) {
      const before = forwarded.pop()?.trim();
      if (before === undefined || before === '') break;
      address = before;
    }
    return address;
  };
}
