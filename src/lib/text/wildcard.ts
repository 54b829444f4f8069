/**
 * Whether a text matches a pattern in which `*` stands for anything, ignoring case. Written by hand, because a
 * regular expression made from a hostile pattern could run forever.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const lower = text.toLowerCase();
  if (parts.length === 1) return lower === parts[0];
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (!lower.startsWith(first) || !lower.endsWith(last) || lower.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = lower.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= lower.length - last.length;
}
