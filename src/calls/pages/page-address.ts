import type { RequestPlan } from '../../pipeline/request/request-plan.ts';

/** The path and query of a next page at the API's own origin, or the reason it is not followed. */
export type PageAddress = { readonly target: string } | { readonly refused: string };

const maxLength = 16_000;

/**
 * Resolves an address from an API relative to the request that it answered. Only the same origin is followed, because
 * the request carries a credential. `http:` is treated as `https:` if the API is called over `https:`, since many
 * APIs behind a proxy don't know their scheme. Secrets in the query are left out, because signing adds them.
 */
export function readAddress(
  address: string,
  { origin, target }: Pick<RequestPlan, 'origin' | 'target'>,
  secrets: readonly string[],
): PageAddress {
  if (address.length > maxLength) return { refused: `it has more than ${maxLength} characters` };
  if (!URL.canParse(target, origin)) return { refused: 'it cannot be read as an address' };
  const base = new URL(target, origin);
  if (!URL.canParse(address, base.href)) return { refused: 'it cannot be read as an address' };
  const url = new URL(address, base);
  if (url.username !== '' || url.password !== '') return { refused: 'it has a user name or a password' };
  const isUpgrade =
    url.protocol === 'http:' &&
    base.protocol === 'https:' &&
    url.hostname === base.hostname &&
    url.port === '';
  if (url.origin !== base.origin && !isUpgrade)
    return { refused: `it is at ${url.origin === 'null' ? url.protocol : url.origin}, not at this API` };
  return { target: `${url.pathname}${withoutSecrets(url.search, secrets)}` };
}

function withoutSecrets(search: string, secrets: readonly string[]): string {
  if (search === '' || secrets.length === 0) return search;
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => !secrets.includes(decoded(pair.slice(pair.indexOf('=') + 1))));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
