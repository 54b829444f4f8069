/** The URL if a link may point to it, else null: no script, data or file URLs. */
export function safeLink(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? href : null;
}

/** A data URL for media of a family, or null if the type or the Base64 is invalid. */
export function mediaUrl(family: 'image' | 'audio', mimeType: unknown, base64: unknown): string | null {
  if (typeof mimeType !== 'string' || typeof base64 !== 'string') return null;
  const [kind, type = '', ...rest] = mimeType.split('/');
  if (kind?.toLowerCase() !== family || rest.length > 0 || !/^[a-z0-9.+-]+$/i.test(type)) return null;
  const packed = base64.replace(/\s+/g, '');
  return /^[a-z0-9+/]*={0,2}$/i.test(packed) ? `data:${mimeType};base64,${packed}` : null;
}
