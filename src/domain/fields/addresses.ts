import { isPlainHost } from '../../lib/network/host-names.ts';
import { text, withRule } from '../../lib/schema/schema.ts';
import { fieldErrors } from '../error-messages/fields.ts';

const hostFault = 'has a host name with characters that host names cannot have';

/** Why a text cannot be the base URL of an API; null if it can. */
export function baseUrlFault(address: string): string | null {
  if (!URL.canParse(address)) return 'is not an absolute URL such as https://api.example.com/v1';
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must start with http:// or https://';
  if (!isPlainHost(url.host)) return hostFault;
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password: store them as a credential';
  if (url.hash !== '') return 'must not have a fragment (#…)';
  return null;
}

/**
 * The stored form of a URL: as parsed, not as written. Host and scheme are lowercase, tabs and line breaks that parsers
 * skip are removed, and it cannot be interpreted differently later. No path is added if there was none.
 */
export function asParsed(address: string): string {
  if (!URL.canParse(address)) return address;
  const { href, pathname, search, hash } = new URL(address);
  const isBare = pathname === '/' && search === '' && hash === '' && !address.trimEnd().endsWith('/');
  return isBare ? href.slice(0, -1) : href;
}

/** Scheme, host and path of an API. */
export const baseUrlText = withRule(text({ min: 1, max: 4_000 }), (address, report) => {
  const fault = baseUrlFault(address);
  if (fault !== null) report('', fault);
});

/** Scheme, host and port of a URL, as a browser writes them. */
export const originText = withRule(text({ min: 1, max: 4_000 }), (origin, report) => {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin)
    report('', 'must be an origin such as https://api.example.com');
  else if (!isPlainHost(new URL(origin).host)) report('', hostFault);
});

/** Parses a base URL; throws if calls could not use it. */
export function parseBaseUrl(address: string): URL {
  const fault = baseUrlFault(address);
  if (fault === null) return new URL(address);
  throw fieldErrors.baseUrlInvalid({ reason: fault }, { problems: [{ path: '/baseUrl', message: fault }] });
}

/** The base URL of an API whose document names no server: unreachable, with a self-explanatory name. */
export const unsetBaseUrl = 'https://base-url-not-set.invalid';
