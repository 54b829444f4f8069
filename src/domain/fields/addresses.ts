import { text, withRule } from '../../lib/schema/schema.ts';
import { HandrailError } from '../errors.ts';

/** Why a text cannot be the address of an API; null when it can. */
export function baseUrlFault(address: string): string | null {
  if (!URL.canParse(address)) return 'is not an absolute URL such as https://api.example.com/v1';
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password: store them as a credential';
  if (url.hash !== '') return 'must not have a fragment (#…)';
  return null;
}

/**
 * An address as it is stored: what the parser makes of it, not what was written. Host and scheme are in small letters, tabs
 * and line ends that parsers skip are gone, and nothing reads it differently later. No path is added where none was.
 */
export function asParsed(address: string): string {
  if (!URL.canParse(address)) return address;
  const { href, pathname, search, hash } = new URL(address);
  const isBare = pathname === '/' && search === '' && hash === '' && !address.trimEnd().endsWith('/');
  return isBare ? href.slice(0, -1) : href;
}

/** Scheme, host and path of an API or of a place that serves it. */
export const baseUrlText = withRule(text({ min: 1, max: 4_000 }), (address, tell) => {
  const fault = baseUrlFault(address);
  if (fault !== null) tell('', fault);
});

/** Scheme, host and port of an address, as a browser writes them. */
export const originText = withRule(text({ min: 1, max: 4_000 }), (origin, tell) => {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin)
    tell('', 'must be an origin such as https://api.example.com');
});

/** Parses a base URL and refuses what no call could be built on. */
export function parseBaseUrl(address: string): URL {
  const fault = baseUrlFault(address);
  if (fault === null) return new URL(address);
  throw new HandrailError('invalid_input', `The base URL ${fault}.`, {
    problems: [{ path: '/baseUrl', message: fault }],
  });
}

/** The base URL of an API whose document names no server: nothing answers there, and its name says why. */
export const unsetBaseUrl = 'https://base-url-not-set.invalid';
