import type { NamedFile } from './dropped-files.ts';

/** What an import is asked to read. */
export interface Source {
  readonly url?: string;
  readonly text?: string;
  readonly files?: { readonly name: string; readonly content: string }[];
  readonly root?: string;
}

/** Reads what was pasted: a lone address is fetched, anything else is the description itself. */
export function sourceOf(pasted: string): Source | null {
  const text = pasted.trim();
  if (text === '') return null;
  if (/^https?:\/\/\S+$/i.test(text)) return { url: text };
  return { text };
}

/** Reads files; packed, because descriptions are large and repeat themselves. */
export async function sourceOfFiles(files: readonly NamedFile[], root: string | null): Promise<Source> {
  const read = async ({ name, file }: NamedFile) => ({ name, content: base64(await gzip(file)) });
  return { files: await Promise.all(files.map(read)), ...(root !== null && { root }) };
}

// Longer texts travel packed, as a file would.
const plainTextChars = 200_000;

/** What was pasted, in the form it is sent in. */
export async function packLongText(source: Source): Promise<Source> {
  if (source.text === undefined || source.text.length <= plainTextChars) return source;
  return { files: [{ name: 'pasted', content: base64(await gzip(new Blob([source.text]))) }] };
}

async function gzip(blob: Blob): Promise<Uint8Array> {
  const packed = blob.stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

const chunk = 0x8000;

/** Base64 of bytes, in pieces that fit on the stack. */
export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunk)
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
