import type { RequestPlan } from '../../pipeline/request/request-plan.ts';

/** Where an API says that something goes on: the path with its query at its own origin, or why it is not followed. */
export type PageAddress = { readonly target: string } | { readonly refused: string };

const longest = 16_000;

/**
 * Reads an address that an API gave, relative to the request that it answered. Only what is at the same origin is followed: a
 * credential goes along. `http:` for an API that is called by `https:` is taken as the latter, since behind a proxy many do
 * not know better. What it repeats of the secrets is left out: signing adds them.
 */
export function readAddress(
  address: string,
  { origin, target }: Pick<RequestPlan, 'origin' | 'target'>,
  secrets: readonly string[],
): PageAddress {
  if (address.length > longest) return { refused: `it has more than ${longest} characters` };
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
