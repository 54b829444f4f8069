import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ImportRequest } from '../importer.ts';
import type { ImportFile } from '../reading/parsed-import.ts';

/** Seals bytes, bound to a place; null for bytes that can't be opened. */
export interface ByteSealing {
  seal(place: string, plain: Uint8Array): Buffer;
  open(place: string, sealed: Buffer): Buffer | null;
}

// A driver holds several times as much, on each of its connections.
const partBytes = 256 * 1024;

/** Packs a value for the store: a description may contain secrets, and so may options. */
export async function packContent(sealing: ByteSealing, place: string, value: unknown): Promise<Buffer[]> {
  const packed = await promisify(gzip)(JSON.stringify(value), { level: 1 });
  const parts: Buffer[] = [];
  for (let at = 0; at < packed.length; at += partBytes)
    parts.push(sealing.seal(`${place}/${parts.length}`, packed.subarray(at, at + partBytes)));
  return parts;
}

/** Opens what `packContent` made for the same place; undefined if it can't be opened. */
export async function openContent(
  sealing: ByteSealing,
  place: string,
  parts: readonly Buffer[] | null,
): Promise<unknown> {
  if (parts === null) return undefined;
  const opened = parts.flatMap((part, at) => sealing.open(`${place}/${at}`, part) ?? []);
  if (opened.length < parts.length) return undefined;
  return JSON.parse((await promisify(gunzip)(Buffer.concat(opened))).toString('utf8'));
}

/** A request in two parts that JSON can express: its document, and everything else. */
export function splitRequest(request: ImportRequest): { document: unknown; options: JobOptions } {
  const { input, signal: _signal, reference: _reference, dryRun: _dryRun, ...options } = request;
  const document = 'url' in input ? input : { ...input, files: input.files.map(asText) };
  return { document, options };
}

/** The options of an import, apart from its document. */
export type JobOptions = Omit<ImportRequest, 'input' | 'dryRun' | 'signal' | 'reference'>;

/** Large uploads arrive as bytes: of base64, or of a document. */
function asText(file: ImportFile): ImportFile {
  if (typeof file.content === 'string') return file;
  const bytes = Buffer.from(file.content);
  return file.isBase64 === true
    ? { ...file, content: bytes.toString('latin1') }
    : { ...file, content: bytes.toString('base64'), isBase64: true };
}
