import type { Reply } from '../../types.ts';
import type { LabelledText } from './read-statements.ts';

// Headers in which APIs say what went wrong, when the body says less or nothing.
const telling =
  /^(?:www-authenticate|warning|allow|accept-(?:post|patch|ranges)|deprecation|sunset|x-accepted-oauth-scopes|x-oauth-scopes|grpc-status|grpc-message|(?:[a-z0-9]+-)*(?:error|errors|fault|reason|exception)(?:-?(?:type|code|message|msg|description|detail|details|reason|name|text|info|subcode))?|(?:[a-z0-9]+-)*(?:errortype|errorcode|errormessage|errordescription))$/;
const onlyFor: Readonly<Record<string, readonly number[]>> = {
  allow: [405],
  'accept-post': [415],
  'accept-patch': [415],
  'accept-ranges': [416],
  'www-authenticate': [401, 403],
  'x-oauth-scopes': [401, 403, 404],
  'x-accepted-oauth-scopes': [401, 403, 404],
};
const longest = 500;
const most = 12;

/** What the headers of an error reply say about it. */
export function errorHeaders(reply: Reply): LabelledText[] {
  const found: LabelledText[] = [];
  for (const [name, value] of Object.entries(reply.headers)) {
    if (name.length > 60 || value === '' || !telling.test(name)) continue;
    if (onlyFor[name] !== undefined && !onlyFor[name].includes(reply.status)) continue;
    // A challenge without parameters only says that there is one.
    if (name === 'www-authenticate' && !/error|scope|=/i.test(value)) continue;
    found.push([name, (name === 'grpc-message' ? unescaped(value) : value).slice(0, longest)]);
    if (found.length === most) break;
  }
  if (reply.status === 415 && reply.headers['accept'] !== undefined)
    found.push(['accept', reply.headers['accept'].slice(0, longest)]);
  return found;
}

// gRPC over HTTP writes its message percent-encoded.
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
