import type { NamedFile } from './dropped-files.ts';

/** What an import should read. */
export interface Source {
  readonly url?: string;
  readonly text?: string;
  readonly files?: { readonly name: string; readonly content: string }[];
  readonly root?: string;
}

/** What people recognize a source by; null for pasted text. */
export function labelOf({ url, files, root }: Source): string | null {
  const name =
    url === undefined ? (root ?? files?.[0]?.name) : url.replace(/^https?:\/\//, '').split(/[?#]/)[0];
  return name?.slice(0, 200) ?? null;
}

/** Reads pasted text: a single URL is fetched, anything else is the description itself. */
export function sourceOf(pasted: string): Source | null {
  const text = pasted.trim();
  if (text === '') return null;
  if (/^https?:\/\/\S+$/i.test(text)) return { url: text };
  return { text };
}

/** Reads files, compressed because descriptions are large and repetitive. */
export async function sourceOfFiles(files: readonly NamedFile[], root: string | null): Promise<Source> {
  const read = async ({ name, file }: NamedFile) => ({ name, content: base64(await gzip(file)) });
  return { files: await Promise.all(files.map(read)), ...(root !== null && { root }) };
}

// Longer texts are sent compressed, as a file.
const plainTextChars = 200_000;

/** Pasted text, in the form it is sent in. */
export async function packLongText(source: Source): Promise<Source> {
  if (source.text === undefined || source.text.length <= plainTextChars) return source;
  return { files: [{ name: 'pasted', content: base64(await gzip(new Blob([source.text]))) }] };
}

async function gzip(blob: Blob): Promise<Uint8Array> {
  const packed = blob.stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

const chunk = 0x8000;

/** Base64 of bytes, in chunks that fit on the stack. */
export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunk)
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
