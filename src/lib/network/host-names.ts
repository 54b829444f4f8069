/**
 * Whether a host is written with the characters of host names and addresses only. The URL standard also lets quotes and
 * other punctuation through, which no DNS name has and other programs read differently. Braces mark the variables of a base URL.
 */
export function isPlainHost(host: string): boolean {
  return /^(?:[\w.{}:-]+|\[[\da-f:.]+\](?::\d{1,5})?)$/i.test(host);
}
