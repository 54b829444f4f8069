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

// The most common type of each kind. Mail is sent as message/rfc822, not as one of the reports about mail.
const usual = new Set(['application/json', 'application/xml', 'text/plain', 'message/rfc822']);

/** The media type to send if several are offered: JSON before forms before text, the common type before its variants. */
export function chooseMediaType(types: readonly string[]): { type: string; others: string[] } | null {
  const isMail = types.some((type) => bareMediaType(type) === 'message/rfc822');
  const rank = (type: string): number => {
    const bare = bareMediaType(type);
    // If message/rfc822 is offered too, `message/imdn+xml` is another kind of mail, not an XML body.
    const kind = isMail && bare.startsWith('message/') ? 'text' : mediaKind(type);
    return preference.indexOf(kind) + (usual.has(bare) ? 0 : 0.5);
  };
  const type = types.toSorted((a, b) => rank(a) - rank(b))[0];
  return type === undefined ? null : { type, others: types.filter((other) => other !== type) };
}
