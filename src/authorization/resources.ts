import { defaultServerSlug, type Server } from '../domain/server.ts';
import type { ServerView, Snapshot } from '../registry/snapshot.ts';
import { isLoopback } from '../lib/network/address-list.ts';

/** The servers that people sign in to. */
export function signInServers({ servers }: Pick<Snapshot, 'servers'>): readonly Server[] {
  return [...servers.values()].filter(({ enabled, policy }) => enabled && policy.kind === 'sign-in');
}

/**
 * The one server that a resource indicator (RFC 8707) names; undefined for anything else. A trailing slash doesn't
 * matter, and the default server has two URLs. On this machine, its names are interchangeable.
 */
export function serverOfResource(
  resource: string,
  publicUrl: string,
  viewOf: (slug: string) => ServerView | undefined,
): ServerView | undefined {
  if (resource.length > 2_000 || !URL.canParse(resource)) return undefined;
  const url = new URL(resource);
  const own = new URL(publicUrl);
  const isSameHost =
    url.host === own.host ||
    (url.port === own.port && isLoopback(bareHost(url)) && isLoopback(bareHost(own)));
  if (url.protocol !== own.protocol || !isSameHost) return undefined;
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  const prefix = own.pathname === '/' ? '' : own.pathname;
  if (!url.pathname.startsWith(`${prefix}/mcp`)) return undefined;
  const match = /^\/mcp(?:\/([a-z0-9-]{1,40}))?\/?$/.exec(url.pathname.slice(prefix.length));
  const view = match === null ? undefined : viewOf(match[1] ?? defaultServerSlug);
  return view?.server.policy.kind === 'sign-in' ? view : undefined;
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
