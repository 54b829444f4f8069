import { importErrors } from '../../../domain/error-messages/import.ts';
import { longWithValue, shortSwitches, shortWithValue } from './curl-option-names.ts';
import type { ObservedBody, ObservedField } from '../observed/observed-request.ts';

/** A request as curl would send it. */
export interface CurlRequest {
  readonly method: string;
  readonly url: URL;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: ObservedBody;
  readonly accept?: string;
  readonly notes: readonly string[];
}

interface DataPiece {
  /** As sent; for a file's content only the name of its field, if any. */
  readonly text: string;
  readonly json?: boolean;
  readonly file?: boolean;
}

interface Draft {
  urls: string[];
  method?: string;
  headers: [string, string][];
  data: DataPiece[];
  form: ObservedField[];
  urlQuery: string[];
  uploads: string[];
  json: boolean;
  get: boolean;
  head: boolean;
  /** Braces and brackets in a URL are lists and ranges. */
  globs: boolean;
  notes: string[];
}

/** Reads the words after `curl`; several URLs or `--next` give several requests. */
export function readCurlOptions(words: readonly string[], redirected: boolean): CurlRequest[] {
  const requests: CurlRequest[] = [];
  let draft = newDraft();
  let onlyUrls = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (onlyUrls || !word.startsWith('-') || word === '-') draft.urls.push(word);
    else if (word === '--') onlyUrls = true;
    else if (word.startsWith('--')) {
      const name = word.slice(2);
      if (name === 'next') {
        requests.push(...finish(draft));
        draft = newDraft();
      } else if (longWithValue.has(name)) apply(draft, name, words[++i] ?? '');
      else toggle(draft, name);
    } else {
      for (let at = 1; at < word.length; at++) {
        const letter = word[at]!;
        const long = shortWithValue[letter];
        if (long !== undefined) {
          apply(draft, long, at + 1 < word.length ? word.slice(at + 1) : (words[++i] ?? ''));
          break;
        }
        if (letter === ':') {
          requests.push(...finish(draft));
          draft = newDraft();
        } else toggle(draft, shortSwitches[letter] ?? letter);
      }
    }
  }
  if (redirected && draft.uploads.length > 0)
    draft.notes.push('The body is from a file or another command, so it is an argument of each call.');
  requests.push(...finish(draft));
  return requests;
}

function newDraft(): Draft {
  return {
    urls: [],
    headers: [],
    data: [],
    form: [],
    urlQuery: [],
    uploads: [],
    json: false,
    get: false,
    head: false,
    globs: true,
    notes: [],
  };
}

function toggle(draft: Draft, name: string): void {
  if (name === 'get') draft.get = true;
  else if (name === 'head') draft.head = true;
  else if (name === 'digest' || name === 'ntlm' || name === 'negotiate')
    draft.notes.push(`--${name} is not supported: set the API's authentication manually.`);
  else if (name === 'globoff') draft.globs = false;
  else if (name === 'insecure') draft.notes.push('--insecure is left out: certificates are always checked.');
}

function apply(draft: Draft, name: string, value: string): void {
  switch (name) {
    case 'url':
      draft.urls.push(value);
      break;
    case 'request':
      draft.method = value;
      break;
    case 'header':
      addHeader(draft, value);
      break;
    case 'user-agent':
      draft.headers.push(['User-Agent', value]);
      break;
    case 'referer':
      draft.headers.push(['Referer', value]);
      break;
    case 'range':
      draft.headers.push(['Range', `bytes=${/-/.test(value) ? value : `${value}-`}`]);
      break;
    case 'cookie':
      if (value === '') break;
      if (value.includes('=')) draft.headers.push(['Cookie', value]);
      else draft.notes.push(`Cookies from the file ${value} are not read.`);
      break;
    case 'user':
      if (draft.headers.some(([header, known]) => header === 'Authorization' && known.startsWith('Bearer ')))
        break;
      draft.headers.push([
        'Authorization',
        `Basic ${Buffer.from(value.includes(':') ? value : `${value}:`).toString('base64')}`,
      ]);
      break;
    case 'oauth2-bearer':
      draft.headers = draft.headers.filter(([header]) => header.toLowerCase() !== 'authorization');
      draft.headers.push(['Authorization', `Bearer ${value}`]);
      break;
    case 'data':
    case 'data-ascii':
    case 'data-binary':
      if (value.startsWith('@')) addFile(draft, value.slice(1), { text: '' });
      else draft.data.push({ text: value });
      break;
    case 'data-raw':
      draft.data.push({ text: value });
      break;
    case 'data-urlencode': {
      // `name@file`: the first of the two signs decides.
      const [, field, file] = /^([^=@]*)@(.*)$/s.exec(value) ?? [];
      if (file === undefined) draft.data.push({ text: urlencode(value) });
      else addFile(draft, file, { text: field! });
      break;
    }
    case 'json':
      draft.json = true;
      if (value.startsWith('@')) addFile(draft, value.slice(1), { text: '', json: true });
      else draft.data.push({ text: value, json: true });
      break;
    case 'url-query':
      draft.urlQuery.push(value.startsWith('+') ? value.slice(1) : urlencode(value));
      break;
    case 'form': {
      const field = readFormOption(value);
      if (field.asked) draft.notes.push(fileNotRead(/=<([^;]*)/.exec(value)?.[1] ?? ''));
      draft.form.push(field);
      break;
    }
    case 'form-string': {
      const at = value.indexOf('=');
      draft.form.push({ name: value.slice(0, at), value: value.slice(at + 1) });
      break;
    }
    case 'upload-file':
      draft.uploads.push(value);
      break;
    case 'aws-sigv4':
      draft.notes.push("--aws-sigv4: set the API's authentication to AWS signatures manually.");
      break;
    case 'cert':
      draft.notes.push('--cert: store the client certificate as a credential manually.');
      break;
    case 'proxy':
      draft.notes.push('--proxy is left out.');
      break;
  }
}

const fileNotRead = (file: string): string =>
  `The file ${file} is not read: its content is an argument of each call.`;

function addFile(draft: Draft, file: string, piece: DataPiece): void {
  draft.notes.push(
    file === '-' ? 'The body is from another command, so it is an argument of each call.' : fileNotRead(file),
  );
  draft.data.push({ ...piece, file: true });
}

function addHeader(draft: Draft, text: string): void {
  const colon = text.indexOf(':');
  // `Name;` sends an empty header, `Name:` removes one of curl's own.
  if (colon < 0) {
    if (text.endsWith(';')) draft.headers.push([text.slice(0, -1), '']);
    return;
  }
  const name = text.slice(0, colon).trim();
  const value = text.slice(colon + 1).trim();
  if (name === '' || value === '') return;
  if (/[^!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(name)) {
    draft.notes.push(`The header ${JSON.stringify(name)} is left out: it is not a valid header name.`);
    return;
  }
  draft.headers.push([name, value]);
}

// `name=content` encodes the content only; `=content` and `content` encode it all.
function urlencode(value: string): string {
  const equals = value.indexOf('=');
  if (equals < 0) return encodeURIComponent(value);
  const name = value.slice(0, equals);
  return `${name === '' ? '' : `${name}=`}${encodeURIComponent(value.slice(equals + 1))}`;
}

function readFormOption(value: string): ObservedField {
  const equals = value.indexOf('=');
  const name = value.slice(0, Math.max(0, equals));
  const [content = '', ...options] = splitOptions(value.slice(equals + 1));
  const contentType = options
    .map((option) => /^\s*type=(.+)$/.exec(option)?.[1])
    .find((found) => found !== undefined);
  const file = content.startsWith('@') || content.startsWith('<');
  return {
    name,
    value: file ? '' : content.replace(/^"(.*)"$/s, '$1'),
    ...(content.startsWith('@') && { file: true }),
    ...(content.startsWith('<') && { asked: true }),
    ...(contentType && { contentType }),
  };
}

// Only `;type=` and the like end the content: JSON may contain semicolons.
function splitOptions(text: string): string[] {
  return text.split(/;(?=\s*(?:type|filename|headers|encoder)=)/);
}

function finish(draft: Draft): CurlRequest[] {
  return draft.urls.flatMap((text, i) => {
    const addresses = draft.globs ? expandGlobs(text) : [text];
    return addresses.map((address) => finishOne(draft, address, draft.uploads[i]));
  });
}

const maxGlobbed = 100;

// `{a,b}` and `[1-3]` expand to several URLs: https://everything.curl.dev/cmdline/urls/globbing
function expandGlobs(text: string): string[] {
  const glob = /\{([^{},]+(?:,[^{},]*)+)\}|\[(\d{1,9})-(\d{1,9})\]/.exec(text);
  if (!glob) return [text];
  const [whole, list, from, to] = glob;
  const values =
    list === undefined
      ? Array.from({ length: Math.min(maxGlobbed, Math.max(0, Number(to) - Number(from) + 1)) }, (_, i) =>
          String(Number(from) + i).padStart(from!.length, '0'),
        )
      : list.split(',');
  const rest = expandGlobs(text.slice(glob.index + whole.length));
  return values
    .flatMap((value) => rest.map((tail) => text.slice(0, glob.index) + value + tail))
    .slice(0, maxGlobbed);
}

function finishOne(draft: Draft, text: string, upload: string | undefined): CurlRequest {
  const url = readUrl(text);
  const headers = [...draft.headers];
  if (url.username !== '') {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.push(['Authorization', `Basic ${Buffer.from(pair).toString('base64')}`]);
    url.username = '';
    url.password = '';
  }
  const data = joinData(draft.data);
  const hasData = draft.data.length > 0;
  const asQuery = (draft.get || draft.head) && hasData;
  const queryText = [url.search.slice(1), ...draft.urlQuery, ...(asQuery ? [data] : [])]
    .filter((part) => part !== '')
    .join('&');
  const header = (name: string): string | undefined =>
    draft.headers.findLast(([known]) => known.toLowerCase() === name)?.[1];
  const contentType = header('content-type');
  const method =
    draft.method ??
    (draft.head
      ? 'HEAD'
      : draft.get
        ? 'GET'
        : upload !== undefined
          ? 'PUT'
          : hasData || draft.form.length > 0
            ? 'POST'
            : 'GET');
  if (upload !== undefined && upload !== '-' && url.pathname.endsWith('/'))
    url.pathname += encodeURIComponent(upload.split('/').at(-1)!);
  let body: ObservedBody | undefined;
  if (draft.form.length > 0 && !hasData) body = { mediaType: 'multipart/form-data', fields: draft.form };
  else if (hasData && !asQuery)
    body = dataBody(
      draft.data,
      contentType ?? (draft.json ? 'application/json' : 'application/x-www-form-urlencoded'),
    );
  else if (upload !== undefined)
    body = { mediaType: contentType ?? 'application/octet-stream', fromFile: true };
  const accept = header('accept') ?? (draft.json ? 'application/json' : undefined);
  return {
    method,
    url,
    query: [...new URLSearchParams(queryText)],
    headers,
    ...(body && { body }),
    ...(accept && { accept }),
    notes: draft.notes,
  };
}

// Pieces are joined like form fields, those of `--json` directly.
function joinData(pieces: readonly DataPiece[]): string {
  return pieces
    .filter(({ file }) => !file)
    .map(({ text, json }, i) => (i > 0 && !json ? `&${text}` : text))
    .join('');
}

function dataBody(pieces: readonly DataPiece[], mediaType: string): ObservedBody {
  if (!pieces.some(({ file }) => file)) return { mediaType, text: joinData(pieces) };
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(mediaType);
  // Only a named field can be a separate argument.
  if (!isForm || pieces.some(({ file, text }) => file && text === '')) return { mediaType, fromFile: true };
  const fields = pieces.flatMap(({ file, text }) =>
    file
      ? [{ name: text, value: '', asked: true }]
      : [...new URLSearchParams(text)].map(([name, value]) => ({ name, value })),
  );
  return { mediaType, fields };
}

function readUrl(text: string): URL {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  let url: URL;
  try {
    url = new URL(absolute);
  } catch {
    throw importErrors.curlAddressInvalid({ address: JSON.stringify(text.slice(0, 200)) });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw importErrors.curlSchemeNotAllowed({ scheme: url.protocol });
  url.hash = '';
  return url;
}
