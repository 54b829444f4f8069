import { text, withRule } from '../../lib/schema/schema.ts';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

// These frame the message or route it: they belong to the connection and to the gateway, which decodes the reply.
const framing = new Set([
  'accept-encoding',
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'expect',
  'http2-settings',
]);

/** Whether a header belongs to the connection or to the gateway. */
export function isConnectionHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return framing.has(lower) || lower.startsWith('proxy-');
}

/** Whether an operation may declare this header as a parameter, or an API as one it always sends. */
export function isSettableHeader(name: string): boolean {
  return token.test(name) && !isConnectionHeader(name);
}

// Who is sending the request, from where, to which address or with which method: a server behind a proxy trusts these.
// `_method` is the equivalent in a query or a form for many frameworks.
const identifying = new Set([
  'authorization',
  'cookie',
  'cookie2',
  'forwarded',
  'via',
  'client-ip',
  'true-client-ip',
  'x-client-ip',
  'x-real-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-originating-ip',
  'x-cluster-client-ip',
  'x-proxyuser-ip',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-appengine-user-ip',
  'x-envoy-external-address',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
  'fly-client-ip',
  'remote-user',
  'x-remote-user',
  'x-host',
  'x-http-host-override',
  'x-rewrite-url',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  '-method',
]);

const identifyingPrefixes = ['x-forwarded', 'x-original-', 'x-ssl-client', 'ssl-client'];

/**
 * Whether a header says who is sending the request, from where or with which method: tools may only set it if an
 * operator allows it by name. Some servers treat `_` like `-`.
 */
export function isIdentifyingHeader(name: string): boolean {
  const folded = name.toLowerCase().replaceAll('_', '-');
  return identifying.has(folded) || identifyingPrefixes.some((family) => folded.startsWith(family));
}

/** The name of a header. */
export const headerName = text({
  min: 1,
  max: 200,
  pattern: token,
  wants: 'must be the name of a header, such as X-Api-Key',
});

/** The name of a header that may be set in a request. */
export const settableHeaderName = withRule(headerName, (name, report) => {
  if (!isSettableHeader(name)) report('', 'is a header that cannot be set: it belongs to the connection');
});

/** Valid header values: visible characters, spaces and tabs (RFC 9110 section 5.5). */
export const headerValue = text({
  max: 64_000,
  pattern: /^[\t\x20-\x7e\x80-\xff]*$/,
  wants: 'contains a character that a header cannot carry',
});
