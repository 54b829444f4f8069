import { existsSync } from 'node:fs';
import { isLoopback } from '../lib/network/address-list.ts';
import type { OptionSpec } from './command.ts';

/** The options of a command that serves one document. */
export const documentOptions: Readonly<Record<string, OptionSpec>> = {
  select: {
    type: 'string',
    multiple: true,
    value: 'TERM',
    about: 'Only these operations of a DOCUMENT: tag:NAME, method:GET, path:/users/*, kind:read, name:list*.',
  },
  'read-only': { type: 'boolean', about: 'Only tools of a DOCUMENT that read.' },
  'base-url': {
    type: 'string',
    value: 'URL',
    about: 'Where the API of a DOCUMENT is, instead of what it says.',
  },
  auth: {
    type: 'string',
    value: 'HOW',
    about:
      'How a DOCUMENT’s API authenticates, instead of what it says: bearer, basic, none, header:NAME, query:NAME, cookie:NAME.',
  },
  credential: {
    type: 'string',
    value: 'SECRET',
    about:
      'Secret for a DOCUMENT’s API: a token or key, USER:PASSWORD, or a JSON object; prefer HANDRAIL_CREDENTIAL, which does not appear in process lists.',
  },
  save: { type: 'boolean', about: 'Store a DOCUMENT’s API in the data folder; otherwise nothing is kept.' },
};

/** Whether a word names a document or an address, as opposed to a command. */
export function isDocument(word: string): boolean {
  return (
    asAddress(word) !== null ||
    word.includes('/') ||
    word.includes('\\') ||
    /\.(?:ya?ml|json|har)$/i.test(word) ||
    existsSync(word)
  );
}

/** The URL of a word such as `https://api.example.com`, `localhost:3000` or `api.example.com/openapi.json`. */
export function asAddress(word: string): string | null {
  if (/^https?:\/\//i.test(word)) return URL.canParse(word) ? word : null;
  if (existsSync(word)) return null;
  const host = /^(localhost|\[[0-9a-f:.]+\]|[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::\d{1,5})?(?:[/?].*)?$/i.exec(
    word,
  )?.[1];
  if (host === undefined) return null;
  const hasPort = /^[^/?]*:\d/.test(word);
  const isName = host.includes('.') && !/\.(?:ya?ml|json|har|txt|md|js|ts)$/i.test(host);
  if (!hasPort && !isLoopback(host) && !isName) return null;
  const url = `${isLoopback(host) || hasPort ? 'http' : 'https'}://${word}`;
  return URL.canParse(url) ? url : null;
}
