import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { httpErrors } from '../domain/error-messages/http.ts';
import { isLoopback } from '../lib/network/address-list.ts';

/** The addresses of this gateway, for the checks before every route. */
export interface GuardOptions {
  /** The address it listens on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** Checks before every route: the Host and Origin headers and the content type. */
export interface Guards {
  /** Throws if the request must not reach a route. */
  check(req: IncomingMessage): void;
  /** The origin to name in CORS headers; null for a request that needs none. */
  corsOrigin(req: IncomingMessage): string | null;
}

const maxKnownHosts = 100;
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Creates the guards. Without them, a page in a browser could reach a gateway on the same machine (DNS rebinding,
 * cross-site posts).
 */
export function createGuards(options: GuardOptions): Guards {
  const loopback = isLoopback(options.host);
  const names = new Set([
    ...loopbackNames,
    options.host.toLowerCase(),
    ...options.allowedHosts.map((name) => name.toLowerCase()),
  ]);
  if (options.publicUrl !== undefined) {
    const { host, hostname } = new URL(options.publicUrl);
    names.add(host).add(hostname);
  }
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
  if (options.publicUrl !== undefined) origins.add(new URL(options.publicUrl).origin);

  // Clients send the same few Host headers over and over.
  const knownHosts = new Set<string>();

  function isKnownHost(header: string | undefined): boolean {
    if (header === undefined) return false;
    if (knownHosts.has(header)) return true;
    const known = namesUs(header);
    if (known && knownHosts.size < maxKnownHosts) knownHosts.add(header);
    return known;
  }

  function namesUs(header: string): boolean {
    const host = header.toLowerCase();
    const name = host.replace(/:\d+$/, '');
    if (names.has(host) || names.has(name)) return true;
    // The owner of a domain name can rebind it to this machine; an IP address can't be rebound.
    return !loopback && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  }

  function isKnownOrigin(origin: string, hostHeader: string | undefined): boolean {
    if (origins.has(origin.toLowerCase())) return true;
    let url: URL;
    try {
      url = new URL(origin);
    } catch {
      return false;
    }
    if (hostHeader !== undefined && url.host === hostHeader.toLowerCase()) return true;
    const port = hostHeader === undefined ? '' : (/:(\d+)$/.exec(hostHeader)?.[1] ?? '');
    return loopback && isLoopback(url.hostname) && url.port === port;
  }

  return {
    check(req) {
      const { host, origin } = req.headers;
      checkHeaders(req.rawHeaders);
      if (!isKnownHost(host)) {
        throw httpErrors.hostNotAllowed();
      }
      const isForAnyone = isForAnyOrigin(req);
      if (origin !== undefined && !isForAnyone && !isKnownOrigin(origin, host)) {
        throw httpErrors.originNotAllowed();
      }
      if (
        origin === undefined &&
        !isForAnyone &&
        req.headers['sec-fetch-site'] === 'cross-site' &&
        req.headers['sec-fetch-mode'] !== 'navigate'
      ) {
        throw httpErrors.crossSiteRequest();
      }
      if (
        hasBody(req) &&
        !isJson(req.headers['content-type']) &&
        !canOmitContentType(req) &&
        !isUpload(req) &&
        !isSignInForm(req)
      ) {
        throw httpErrors.bodyNotJson();
      }
      const encoding = req.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw httpErrors.encodedBody();
      }
    },
    corsOrigin(req) {
      const { origin, host } = req.headers;
      return origin !== undefined && (isForAnyOrigin(req) || isKnownOrigin(origin, host)) ? origin : null;
    },
  };
}

const maxHeaders = 200;

// A duplicated Host or Authorization header could be read differently here and by a proxy in front.
function checkHeaders(raw: readonly string[]): void {
  if (raw.length > maxHeaders * 2) throw httpErrors.tooManyHeaders({ max: maxHeaders });
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const { length } = raw[i]!;
    if (length === 4 && raw[i]!.toLowerCase() === 'host') hosts++;
    else if (length === 13 && raw[i]!.toLowerCase() === 'authorization') authorizations++;
  }
  if (hosts > 1 || authorizations > 1)
    throw httpErrors.duplicateHeader({ name: hosts > 1 ? 'Host' : 'Authorization' });
}

function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

// The explorer also accepts a body without a content type. Pages of other origins, which could omit it too, were
// already rejected by their Origin.
function canOmitContentType(req: IncomingMessage): boolean {
  return req.headers['content-type'] === undefined && req.url?.startsWith('/explorer/') === true;
}

// An uploaded file can have any type. Pages of other origins were already rejected by their Origin.
function isUpload(req: IncomingMessage): boolean {
  return req.url?.startsWith('/uploads/') === true;
}

// Apps in browsers sign in from their own origins. These addresses use no cookies: they depend on what the request says.
function isForAnyOrigin({ url = '' }: IncomingMessage): boolean {
  return (
    /^\/oauth\/(?:token|register|revoke|jwks)(?:\?|$)/.test(url) ||
    /^\/\.well-known\/(?:oauth-(?:protected-resource|authorization-server)|openid-configuration)(?:[/?]|$)/.test(
      url,
    )
  );
}

// OAuth's own requests, and the page that asks people; a page of another origin was already rejected.
function isSignInForm({ url = '', headers }: IncomingMessage): boolean {
  return (
    /^\/oauth\/(?:token|revoke|consent\/)/.test(url) &&
    /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '')
  );
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return (
    contentType !== undefined && /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(contentType)
  );
}
