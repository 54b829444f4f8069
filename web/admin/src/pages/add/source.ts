import type { BodyOf, RouteAt } from '../../api/routes.ts';

/** What an import is asked to read. */
export type Source = Pick<BodyOf<RouteAt<'POST', '/imports'>>, 'url' | 'text' | 'files'>;

/** Reads what was pasted: a lone address is fetched, anything else is the description itself. */
export function sourceOf(pasted: string): Source | null {
  const text = pasted.trim();
  if (text === '') return null;
  if (/^https?:\/\/\S+$/i.test(text)) return { url: text };
  return { text };
}

/** Reads dropped files, as they are. */
export async function sourceOfFiles(files: readonly File[]): Promise<Source | null> {
  if (files.length === 0) return null;
  return {
    files: await Promise.all(
      files.map(async (file) => ({
        name: file.webkitRelativePath || file.name,
        content: base64(new Uint8Array(await file.arrayBuffer())),
      })),
    ),
  };
}

const chunk = 0x8000;

/** Base64 of bytes, in pieces that fit on the stack. */
export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunk)
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
