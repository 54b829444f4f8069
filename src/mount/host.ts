import { createHash } from 'node:crypto';
import { forwardable, neverForwarded } from '../credentials/forward-headers.ts';
import type { Caller } from '../domain/call.ts';
import { mountErrors } from '../domain/error-messages/mount.ts';
import { isSecretName } from '../lib/secrets/mask-secrets.ts';
import type { Call } from '../pipeline/call.ts';
import type { OpenCredential } from '../pipeline/request/signed-request.ts';

/** What the app knows about a request to its MCP endpoint, usually from its own middleware. */
export interface HostContext {
  /** Who is calling: separates callers in limits, records and kept replies. */
  readonly user?: { readonly id: string; readonly name?: string };
  /** The tenant that the user belongs to; users of different tenants are different callers. */
  readonly tenant?: string;
  /** Anything else, for `fetch`, `allow` and tools in code. */
  readonly [key: string]: unknown;
}

const noContext: HostContext = {};

/** The context that a call was made with; empty if there was none. */
export function hostOf({ host }: Pick<Caller, 'host'>): HostContext {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `callerOf` sets it
  return (host ?? noContext) as HostContext;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The caller of a request. Without a user, each set of forwarded credentials is a caller of its own: a kept or cached
 * reply of one never reaches another.
 */
export function callerOf(
  host: HostContext | undefined,
  headers: Headers,
  forward: readonly string[],
  toolIds: ReadonlySet<string> | undefined,
): Caller {
  const { user, tenant } = host ?? noContext;
  const more = { ...(host && { host }), ...(toolIds && { toolIds }) };
  if (user !== undefined) {
    const id = `host:${[...(tenant === undefined ? [] : [tenant]), user.id].map(encodeURIComponent).join('/')}`;
    return { id, kind: 'host', label: user.name ?? user.id, ...more };
  }
  const sent = forward.flatMap((name) => (headers[name] === undefined ? [] : [name, headers[name]]));
  if (sent.length === 0 && tenant === undefined)
    return { id: 'anonymous', kind: 'anonymous', label: 'anonymous', ...more };
  const id = hashOf([tenant ?? null, ...sent]);
  return { id: `host:~${id}`, kind: 'host', label: tenant ?? 'unnamed', ...more };
}

function hashOf(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}

/** The names of headers to forward, in lowercase; throws for one that belongs to the connection or the protocol. */
export function readForward(names: readonly string[]): readonly string[] {
  return names.map((given) => {
    const name = given.toLowerCase();
    if (neverForwarded.test(name)) throw mountErrors.headerNotForwardable({ name: given });
    return name;
  });
}

/** The headers of a client that the app named, for the request to itself; null if it sent none of them. */
export function forwardedTo(forward: readonly string[]): (call: Call) => Promise<OpenCredential | null> {
  return async (call) => {
    const placements = forwardable(call, forward);
    if (placements.length === 0) return null;
    return {
      placements,
      identity: hashOf(placements.map(({ name, value }) => [name, value])),
      // A tenant or a language must stay readable in replies; a token must not appear in them.
      secrets: placements.filter(({ name }) => isSecretName(name)).flatMap(({ value }) => secretsIn(value)),
    };
  };
}

/** The secrets in the value of a header: the token after `Bearer`, the values of cookies. */
function secretsIn(value: string): string[] {
  const parts = value.split(/[;\s]+/).map((part) => part.slice(part.indexOf('=') + 1));
  return [value, ...parts.filter((part) => part.length >= 8)];
}
