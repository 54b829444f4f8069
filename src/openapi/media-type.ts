/** How a body of some media type is written. */
export type MediaKind = 'json' | 'form' | 'multipart' | 'text' | 'binary' | 'unknown';

/** The kind of a media type, from its name alone. */
export function mediaKind(mediaType: string): MediaKind {
  const type = mediaType.split(';')[0]!.trim().toLowerCase();
  if (
    type === 'application/json' ||
    type.endsWith('+json') ||
    type === 'text/json' ||
    type === 'application/*+json'
  )
    return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type.startsWith('multipart/')) return 'multipart';
  if (type === '*/*' || type === 'application/*') return 'unknown';
  if (type.startsWith('text/') || type.endsWith('+xml') || type.endsWith('/xml') || textTypes.has(type))
    return 'text';
  if (/^(image|audio|video|font)\//.test(type) || binaryTypes.has(type)) return 'binary';
  return 'unknown';
}

const textTypes = new Set([
  'application/yaml',
  'application/x-yaml',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/json-seq',
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

const preference: readonly MediaKind[] = ['json', 'form', 'multipart', 'text', 'binary', 'unknown'];

/** The media type to send when several are offered: JSON before forms before text, `application/json` before its relatives. */
export function chooseMediaType(types: readonly string[]): { type: string; others: string[] } | null {
  const rank = (type: string): number => {
    const exact = type.split(';')[0]!.trim().toLowerCase() === 'application/json' ? 0 : 0.5;
    return preference.indexOf(mediaKind(type)) + exact;
  };
  const type = types.toSorted((a, b) => rank(a) - rank(b))[0];
  return type === undefined ? null : { type, others: types.filter((other) => other !== type) };
}
