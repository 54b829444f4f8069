import { text, withRule } from '../../lib/schema/schema.ts';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

// These frame the message or route it: they are the connection's, never an operator's to set.
const framing = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'expect',
]);

/** Whether an operation may declare this header as a parameter, or an API as one it always sends. */
export function isSettableHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return token.test(lower) && !framing.has(lower) && !lower.startsWith('proxy-');
}

/** The name of a header. */
export const headerName = text({
  min: 1,
  max: 200,
  pattern: token,
  wants: 'must be the name of a header, such as X-Api-Key',
});

/** The name of a header that may be set in a request. */
export const settableHeaderName = withRule(headerName, (name, tell) => {
  if (!isSettableHeader(name)) tell('', 'is a header that cannot be set: it belongs to the connection');
});

/** What a header can carry: visible characters, spaces and tabs (RFC 9110 section 5.5). */
export const headerValue = text({
  max: 64_000,
  pattern: /^[\t\x20-\x7e\x80-\xff]*$/,
  wants: 'holds a character that a header cannot carry',
});
