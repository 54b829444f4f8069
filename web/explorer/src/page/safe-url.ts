/** The address when a link may lead there, else null: no script, no data, no file. */
export function safeLink(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? href : null;
}

/** A data address for media of the given family, or null when the type or the Base64 is not what it says. */
export function mediaUrl(family: 'image' | 'audio', mimeType: unknown, base64: unknown): string | null {
  if (typeof mimeType !== 'string' || typeof base64 !== 'string') return null;
  if (!new RegExp(`^${family}/[a-z0-9.+-]+$`, 'i').test(mimeType)) return null;
  if (!/^[a-z0-9+/\s]*={0,2}\s*$/i.test(base64)) return null;
  return `data:${mimeType};base64,${base64.replace(/\s+/g, '')}`;
}
