import { errorCatalogue } from './errors.ts';
import { keysOf } from '../lib/keys-of.ts';

/** The errors page of the reference, made from the catalogue. */
export function errorReference(): string {
  const rows = keysOf(errorCatalogue).map((code) => {
    const { status, fault, retry, title } = errorCatalogue[code];
    return `| \`${code}\` | ${status} | ${fault} | ${retry} | ${title} |`;
  });
  return [
    '# Errors',
    '',
    'Every failure has one of these codes. The admin API answers with problem details (RFC 9457) that carry it as `code`; MCP answers a',
    'failed call with a result whose `isError` is true; HandsAI’s REST surface maps them to JSON-RPC codes; call records keep it as their',
    'outcome. *Fault* says who can mend it, *retry* whether the same request can succeed: `never`, `later` as it is, or `after-change`.',
    '',
    '| code | HTTP status | fault | retry | meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
