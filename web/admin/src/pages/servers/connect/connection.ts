import type { AddressConnection } from '#domain/clients/mcp-clients.ts';
import { nameInClients } from '#domain/names.ts';

/** How a client of this browser's machine reaches a server, whose gateway may be started there by `program`. */
export function connectionTo(
  server: { readonly slug: string; readonly url: string },
  headers: Readonly<Record<string, string>>,
  program: readonly string[] | undefined,
): AddressConnection {
  // Never a package by its name: it would run whatever a registry has under it.
  const [command = 'handrail', ...args] = (isLoopback(server.url) ? program : undefined) ?? [];
  return { name: nameInClients(server.slug), url: server.url, headers, bridge: [command, ...args] };
}

/** No other device finds this one under such a name. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
