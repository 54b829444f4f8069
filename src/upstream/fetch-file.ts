import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import type { HandrailError } from '../domain/errors.ts';
import type { ReceivedFile } from '../pipeline/files.ts';
import type { Call, CallFiles } from '../pipeline/call.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import type { FetchGuarded } from './fetch-guarded.ts';

/** The file found at a URL. */
export interface FileAtAddress {
  readonly file: ReceivedFile;
  readonly headers: Reply['headers'];
  /** The final URL, after redirects. */
  readonly url: string;
}

/** Fetches the file at a public URL into the store. */
export type FetchFile = (
  call: Call,
  url: string,
  into: Pick<CallFiles, 'receive' | 'maxBytes'>,
  deadlineMs: number,
) => Promise<FileAtAddress>;

const maxRedirects = 5;

/** Creates the function that fetches files: https only, at every redirect, and through the egress guard. */
export function createFetchFile(fetch: FetchGuarded, now: () => number): FetchFile {
  return async (call, url, into, deadlineMs) => {
    const neverAborted = new AbortController();
    let address = url;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const at = parseAddress(address);
      const answer = await fetch({
        url: at.href,
        headers: { accept: '*/*' },
        timeoutMs: Math.max(1, deadlineMs - now()),
        signal: call.signal instanceof AbortSignal ? call.signal : neverAborted.signal,
        file: { call, into },
      });
      if (answer.file !== undefined) return { file: answer.file, headers: answer.headers, url: at.href };
      const location = answer.headers['location'];
      if (answer.status < 300 || answer.status > 399 || location === undefined)
        throw fetchError(`${at.host} answered HTTP ${answer.status} instead of sending a file`);
      if (!URL.canParse(location, at.href))
        throw fetchError('it redirects to an address that cannot be parsed');
      address = new URL(location, at).href;
    }
    throw fetchError('the address redirects too many times');
  };
}

function parseAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw fetchError('the address of the file cannot be parsed');
  }
  if (url.protocol !== 'https:') throw fetchError('files are fetched from https addresses only');
  if (url.username !== '' || url.password !== '')
    throw fetchError('the address of a file must not contain a user name or password');
  return url;
}

function fetchError(why: string): HandrailError {
  return upstreamErrors.fileNotFetched({ reason: why }, { notSent: true });
}
