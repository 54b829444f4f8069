import type { AddressConnection } from '#domain/mcp-clients.ts';
import { nameInClients } from '#domain/names.ts';

/** How a client on this machine reaches a server. `program` can start the gateway over stdio. */
export function connectionTo(
  server: { readonly slug: string; readonly url: string },
  headers: Readonly<Record<string, string>>,
  program: readonly string[] | undefined,
): AddressConnection {
  // Never a package name: it would run whatever a registry serves under it.
  const [command = 'handrail', ...args] = (isLoopback(server.url) ? program : undefined) ?? [];
  return { name: nameInClients(server.slug), url: server.url, headers, bridge: [command, ...args] };
}

/** Other devices can't reach this machine by such a name. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
