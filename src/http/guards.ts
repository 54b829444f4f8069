import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { HandrailError } from '../domain/errors.ts';
import { isLoopback } from '../lib/network/address-list.ts';

/** Where this gateway is reached, as far as the checks in front need to know. */
export interface GuardOptions {
  /** The address it listens on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** The checks that stand before every route: who was addressed, from which page, with what kind of body. */
export interface Guards {
  /** Throws unless the request may be looked at. */
  check(req: IncomingMessage): void;
  /** The origin to name in CORS headers; null for a request that needs none. */
  corsOrigin(req: IncomingMessage): string | null;
}

const maxKnownHosts = 100;
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Makes the guards. Without them a page in a browser could reach a gateway on the same machine (DNS rebinding, cross-site posts). */
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

  // The same few come with every request.
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
    // A name can be rebound to us by whoever owns it; an address cannot.
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
        throw new HandrailError(
          'forbidden',
          'The Host header does not name this gateway. If it is right, add it to HANDRAIL_ALLOWED_HOSTS or set HANDRAIL_PUBLIC_URL.',
        );
      }
      if (origin !== undefined && !isKnownOrigin(origin, host)) {
        throw new HandrailError(
          'forbidden',
          'Pages of this origin may not call this gateway. An operator can allow it with HANDRAIL_ALLOWED_ORIGINS.',
        );
      }
      if (
        origin === undefined &&
        req.headers['sec-fetch-site'] === 'cross-site' &&
        req.headers['sec-fetch-mode'] !== 'navigate'
      ) {
        throw new HandrailError('forbidden', 'Requests from other sites are refused.');
      }
      if (hasBody(req) && !isJson(req.headers['content-type']) && !mayLeaveOutType(req) && !takesFile(req)) {
        throw new HandrailError(
          'unsupported_media_type',
          'Send the body as JSON, with the header "Content-Type: application/json".',
        );
      }
      const encoding = req.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw new HandrailError(
          'unsupported_media_type',
          'Send the body as it is, without Content-Encoding.',
        );
      }
    },
    corsOrigin(req) {
      const { origin, host } = req.headers;
      return origin !== undefined && isKnownOrigin(origin, host) ? origin : null;
    },
  };
}

const maxHeaders = 200;

// Two of them are read one way here and another way by what stands in front.
function checkHeaders(raw: readonly string[]): void {
  if (raw.length > maxHeaders * 2)
    throw new HandrailError('invalid_request', `Send at most ${maxHeaders} headers.`);
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const { length } = raw[i]!;
    if (length === 4 && raw[i]!.toLowerCase() === 'host') hosts++;
    else if (length === 13 && raw[i]!.toLowerCase() === 'authorization') authorizations++;
  }
  if (hosts > 1 || authorizations > 1)
    throw new HandrailError(
      'invalid_request',
      `Send the header ${hosts > 1 ? 'Host' : 'Authorization'} only once.`,
    );
}

function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

// The explorer's contract reads any body, also one that a program sends without saying what it is. Pages of other
// origins, which can leave the type out too, are refused by their Origin before.
function mayLeaveOutType(req: IncomingMessage): boolean {
  return req.headers['content-type'] === undefined && req.url?.startsWith('/explorer/') === true;
}

// A file is of any type. Pages of other origins are refused by their Origin before.
function takesFile(req: IncomingMessage): boolean {
  return req.url?.startsWith('/uploads/') === true;
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return (
    contentType !== undefined && /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(contentType)
  );
}
