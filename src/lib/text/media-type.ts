/** How a body of a media type is encoded. `lines` is one JSON value after another. */
export type MediaKind = 'json' | 'form' | 'multipart' | 'lines' | 'xml' | 'text' | 'binary' | 'unknown';

/** A media type without its parameters, in lower case. */
export function bareMediaType(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase();
}

/** The kind of a media type, from its name alone. */
export function mediaKind(mediaType: string): MediaKind {
  const type = bareMediaType(mediaType);
  if (jsonLines.test(type)) return 'lines';
  if (type.includes('json')) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type.startsWith('multipart/')) return 'multipart';
  if (type === '*/*' || type === 'application/*') return 'unknown';
  if (type.endsWith('+xml') || type.endsWith('/xml')) return 'xml';
  if (type.startsWith('text/') || type.startsWith('message/') || textTypes.has(type)) return 'text';
  if (/^(?:image|audio|video|font)\//.test(type) || binaryTypes.has(type)) return 'binary';
  return 'unknown';
}

/** Whether each value of a `lines` body starts with a record separator (RFC 7464). */
export function isJsonSequence(mediaType: string): boolean {
  return bareMediaType(mediaType).endsWith('json-seq');
}

// https://github.com/ndjson/ndjson-spec, https://jsonlines.org, RFC 7464; `stream+json` is Spring's.
const jsonLines = /ndjson|json-?l(?:ines)?$|json-seq$|stream\+json$/;

const textTypes = new Set([
  'application/yaml',
  'application/x-yaml',
  'application/graphql',
  'application/javascript',
  'application/sql',
  'application/toml',
  'application/x-sh',
  'application/sdp',
  'application/jwt',
  'application/jose',
  'application/x-pem-file',
]);

const binaryTypes = new Set([
  'application/octet-stream',
  'application/zip',
  'application/gzip',
  'application/x-gzip',
  'application/x-tar',
  'application/pdf',
  'application/msword',
  'application/x-zip-compressed',
  'application/x-protobuf',
  'application/protobuf',
  'application/cbor',
  'application/java-archive',
  'application/x-binary',
]);
