import { HandrailError } from '../domain/errors.ts';
import type { ReceivedFile } from '../pipeline/files.ts';
import type { Call, CallFiles } from '../pipeline/call.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import type { FetchGuarded } from './fetch-guarded.ts';

/** What was found at an address. */
export interface FileAtAddress {
  readonly file: ReceivedFile;
  readonly headers: Reply['headers'];
  /** The address that had it, after redirects. */
  readonly url: string;
}

/** Reads the file at a public address into the store. */
export type FetchFile = (
  call: Call,
  url: string,
  into: Pick<CallFiles, 'receive' | 'maxBytes'>,
  deadlineMs: number,
) => Promise<FileAtAddress>;

const maxRedirects = 5;

/** Makes the function that reads files from elsewhere: only by https, at each step, and through the egress guard. */
export function createFetchFile(fetch: FetchGuarded, now: () => number): FetchFile {
  return async (call, url, into, deadlineMs) => {
    const gone = new AbortController();
    let address = url;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const at = parseAddress(address);
      const answer = await fetch({
        url: at.href,
        headers: { accept: '*/*' },
        timeoutMs: Math.max(1, deadlineMs - now()),
        signal: call.signal instanceof AbortSignal ? call.signal : gone.signal,
        file: { call, into },
      });
      if (answer.file !== undefined) return { file: answer.file, headers: answer.headers, url: at.href };
      const location = answer.headers['location'];
      if (answer.status < 300 || answer.status > 399 || location === undefined)
        throw refused(`${at.host} answered HTTP ${answer.status} instead of a file`);
      if (!URL.canParse(location, at.href)) throw refused('it redirects to an address that cannot be read');
      address = new URL(location, at).href;
    }
    throw refused('the address redirects too often');
  };
}

function parseAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refused('the address of the file cannot be read');
  }
  if (url.protocol !== 'https:') throw refused('files are read from https addresses only');
  if (url.username !== '' || url.password !== '')
    throw refused('the address of a file must not hold a user name or password');
  return url;
}

function refused(why: string): HandrailError {
  return new HandrailError(
    'invalid_arguments',
    `The file could not be read: ${why}. Nothing was sent to the API.`,
    { notSent: true },
  );
}
