const uriPrefix = 'handrail://replies/';

/** The address of a kept reply among a server's resources. */
export function replyUri(handle: string): string {
  return `${uriPrefix}${handle}`;
}

/** The handle that an address stands for; null for any other. */
export function handleIn(uri: string): string | null {
  return uri.startsWith(uriPrefix) ? uri.slice(uriPrefix.length) : null;
}

/** A number of bytes as people say it. */
export function sizeText(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  return bytes < 10_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}
