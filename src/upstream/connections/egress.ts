import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { Socket } from 'node:net';
import { upstreamErrors } from '../../domain/error-messages/upstream.ts';
import { type HandrailError, toHandrailError } from '../../domain/errors.ts';
import { isPlainHost } from '../../lib/network/host-names.ts';
import {
  addressKind,
  NetworkList,
  normalHost,
  parseAddress,
  parseNetworkList,
} from '../../lib/network/network-list.ts';
import type { ClientTls } from '../../pipeline/request/signed-request.ts';
import { openTunnel } from './proxy-tunnel.ts';
import { adaptSocket } from './adapt-socket.ts';
import { buildConnector } from './undici-parts.ts';
import { asError, errorMessage } from '../../lib/thrown-errors.ts';

type Connector = buildConnector.connector;

// A name server that doesn't answer must not hold up what only wants to explain.
const explainTimeoutMs = 2_000;

/** Resolves a host name to all its addresses. */
export type ResolveHost = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** How the connections of a pool are opened. */
interface ConnectOptions {
  readonly connectTimeoutMs: number;
  /** An API's own allowlist. It can only narrow what the gateway allows. */
  readonly only?: NetworkList;
  readonly tls?: ClientTls;
}

/**
 * Decides where Handrail may connect. Every outbound socket is opened by a connector from here, which checks the given
 * address, every address its name resolves to, and the address the socket is actually connected to.
 */
export interface EgressGuard {
  /** Rejects a disallowed URL before anything is opened, if that does not depend on DNS. */
  checkUrl(url: URL, only?: NetworkList): void;
  /** Why a URL may not be called, resolving its name; null if it may, or if its name doesn't resolve now. */
  explain(url: URL): Promise<HandrailError | null>;
  /** Replaces the owner's entries, which add to the operator's; applies to every new connection. */
  setOwnEntries(entries: readonly string[]): void;
  /** Calls back when the entries change; returns a function to unsubscribe. */
  onChange(listener: () => void): () => void;
  /** Creates the connect function of the pool for one origin. */
  connector(origin: URL, options: ConnectOptions): Connector;
}

/** Creates the guard from the operator's entries (`HANDRAIL_EGRESS_ALLOW`); a bad entry is `config_invalid`. */
export function createEgressGuard(options: {
  readonly allow: readonly string[];
  /** Proxy for https (`HTTPS_PROXY`). It only gets checked addresses; allowed private networks are reached directly. */
  readonly proxy?: string;
  readonly resolveHost?: ResolveHost;
}): EgressGuard {
  const proxy = options.proxy === undefined ? null : parseProxy(options.proxy);
  const allow = parseEgressAllow(options.allow);
  let own = parseNetworkList([]);
  const listeners = new Set<() => void>();
  const allowsAddress = (...place: Parameters<NetworkList['matchesAddress']>) =>
    allow.matchesAddress(...place) || own.matchesAddress(...place);
  const allowsHost = (...place: Parameters<NetworkList['matchesHost']>) =>
    allow.matchesHost(...place) || own.matchesHost(...place);
  const resolveHost = options.resolveHost ?? resolveBySystem;

  /** Why the address may not be connected to; null if it may. */
  function egressError(
    host: string,
    port: number,
    addressText: string,
    only: NetworkList | undefined,
  ): string | null {
    const address = parseAddress(addressText);
    if (address === null) return `${host} has no address that can be checked`;
    if (only !== undefined && !only.matchesHost(host, port) && !only.matchesAddress(address, port)) {
      return `${host}:${port} ${ownList}`;
    }
    const kind = addressKind(address);
    if (kind === 'public' || allowsAddress(address, port)) return null;
    if (kind === 'internal' && allowsHost(host, port)) return null;
    const where = addressText === host ? host : `${host} (${address.toString()})`;
    return `${where} is ${kind === 'internal' ? 'in a private network' : 'a restricted address'}`;
  }

  function checkLiteral(host: string, port: number, only: NetworkList | undefined): void {
    if (parseAddress(host) === null) return;
    const why = egressError(host, port, host, only);
    if (why !== null) throw notAllowedError(why, host, port);
  }

  return {
    setOwnEntries(entries) {
      own = parseApiEgress(entries);
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    checkUrl(url, only) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw upstreamErrors.schemeNotAllowed({ scheme: url.protocol }, { notSent: true });
      }
      if (!isPlainHost(url.host)) throw upstreamErrors.hostInvalid({ host: url.host }, { notSent: true });
      checkLiteral(bareHost(url.hostname), portOf(url), only);
    },

    async explain(url) {
      const host = bareHost(url.hostname);
      const port = portOf(url);
      try {
        this.checkUrl(url);
      } catch (error) {
        return toHandrailError(error);
      }
      if (parseAddress(host) !== null) return null;
      const found = await new Promise<readonly LookupAddress[]>((resolve) => {
        const timer = setTimeout(() => resolve([]), explainTimeoutMs);
        resolveHost(host, (_error, addresses) => {
          clearTimeout(timer);
          resolve(addresses ?? []);
        });
      });
      const reasons = found.map(({ address }) => egressError(host, port, address, undefined));
      const [first] = reasons;
      return typeof first === 'string' && !reasons.includes(null) ? notAllowedError(first, host, port) : null;
    },

    connector(origin, { connectTimeoutMs, only, tls }) {
      const host = bareHost(origin.hostname);
      const port = portOf(origin);

      // The only name resolution: exactly the checked addresses are connected to.
      const resolveAllowed = (done: (error: Error | null, allowed: LookupAddress[]) => void): void => {
        resolveHost(host, (error, found) => {
          const allowed =
            found?.filter(({ address }) => egressError(host, port, address, only) === null) ?? [];
          if (error !== null || allowed.length > 0) {
            done(error, allowed);
            return;
          }
          const why = egressError(host, port, found[0]?.address ?? '', only) ?? `${host} has no address`;
          done(notAllowedError(why, host, port), []);
        });
      };

      const lookup = (
        _name: string,
        wanted: LookupOptions,
        done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
      ): void =>
        resolveAllowed((error, allowed) => {
          const [first] = allowed;
          if (error !== null || first === undefined) done(error, []);
          else if (wanted.all) done(null, allowed);
          else done(null, first.address, first.family);
        });

      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types omit the socket that it returns
      const connect = buildConnector({
        timeout: connectTimeoutMs,
        lookup,
        ...(tls && {
          cert: tls.certificatePem,
          key: tls.privateKeyPem,
          passphrase: tls.passphrase,
          ...(tls.caPem !== undefined && { ca: tls.caPem }),
        }),
      }) as (...args: Parameters<Connector>) => Socket;

      /** Connects through the proxy if it applies to this target, else directly. */
      const connectByProxy = (by: URL, ...[target, callback]: Parameters<Connector>): void => {
        const literal = parseAddress(host);
        const tunnel = (address: string): void => {
          const kind = addressKind(parseAddress(address)!);
          if (kind !== 'public') {
            connectDirectly(target, callback);
            return;
          }
          const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
          openTunnel(by, place, connectTimeoutMs, (error, socket) => {
            if (socket === null) callback(error ?? new Error('no tunnel'), null);
            else
              adaptSocket(
                connect({ ...target, servername: target.servername ?? host, httpSocket: socket }, callback),
              );
          });
        };
        if (literal !== null) {
          try {
            checkLiteral(host, port, only);
          } catch (error) {
            callback(asError(error), null);
            return;
          }
          tunnel(literal.toString());
          return;
        }
        resolveAllowed((error, [first]) => {
          if (error !== null || first === undefined) callback(error ?? new Error('no address'), null);
          else tunnel(first.address);
        });
      };

      const connectDirectly: Connector = (target, callback) => {
        let socket: Socket;
        try {
          checkLiteral(host, port, only);
          socket = connect(target, callback);
          adaptSocket(socket);
        } catch (error) {
          callback(asError(error), null);
          return;
        }
        // The final check, before the first byte is sent, is on the address the socket is really connected to.
        socket.prependOnceListener('connect', () => {
          const why = egressError(host, port, socket.remoteAddress ?? '', only);
          if (why !== null) socket.destroy(notAllowedError(why, host, port));
        });
      };

      return proxy !== null && origin.protocol === 'https:'
        ? (target, callback) => connectByProxy(proxy, target, callback)
        : connectDirectly;
    },
  };
}

/** Reads an API's own egress list; a bad entry is `invalid_input`. */
export function parseApiEgress(entries: readonly string[]): NetworkList {
  try {
    return parseNetworkList(entries);
  } catch (error) {
    const message = errorMessage(error);
    throw upstreamErrors.egressListInvalid(
      { reason: message },
      { problems: [{ path: '/egressAllow', message }] },
    );
  }
}

function parseEgressAllow(entries: readonly string[]): NetworkList {
  try {
    return parseNetworkList(entries);
  } catch (error) {
    throw upstreamErrors.egressSettingInvalid({ reason: errorMessage(error) });
  }
}

function notAllowedError(why: string, host: string, port: number): HandrailError {
  if (why.endsWith(ownList)) {
    return upstreamErrors.notInEgressList({ reason: why }, { notSent: true });
  }
  const entry = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return upstreamErrors.addressNotAllowed({ reason: why, entry }, { notSent: true });
}

const ownList = 'is not in the egress list of this API';

function parseProxy(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw upstreamErrors.proxySettingInvalid();
}

function bareHost(hostname: string): string {
  return normalHost(hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

function resolveBySystem(host: string, done: Parameters<ResolveHost>[1]): void {
  systemLookup(host, { all: true }, (error, addresses) => done(error, addresses));
}
