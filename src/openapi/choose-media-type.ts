import { bareMediaType, mediaKind, type MediaKind } from '../lib/text/media-type.ts';

const preference: readonly MediaKind[] = [
  'json',
  'form',
  'multipart',
  'lines',
  'xml',
  'text',
  'binary',
  'unknown',
];

// What most clients send of its kind. A mail goes as it is (RFC 5322), not as one of the reports about mails.
const usual = new Set(['application/json', 'application/xml', 'text/plain', 'message/rfc822']);

/** The media type to send when several are offered: JSON before forms before text, the usual type before its relatives. */
export function chooseMediaType(types: readonly string[]): { type: string; others: string[] } | null {
  const isMail = types.some((type) => bareMediaType(type) === 'message/rfc822');
  const rank = (type: string): number => {
    const bare = bareMediaType(type);
    // Beside a whole mail, `message/imdn+xml` is one more kind of mail, not a body of XML.
    const kind = isMail && bare.startsWith('message/') ? 'text' : mediaKind(type);
    return preference.indexOf(kind) + (usual.has(bare) ? 0 : 0.5);
  };
  const type = types.toSorted((a, b) => rank(a) - rank(b))[0];
  return type === undefined ? null : { type, others: types.filter((other) => other !== type) };
}
