import type { IncomingMessage } from 'node:http';
import { parseAddressList } from '../lib/network/address-list.ts';

/** The client's address: the last hop that isn't a trusted proxy. */
export type ClientAddress = (req: IncomingMessage) => string;

/** Creates the lookup for the proxies in `trustProxy`. */
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
