import { createHash } from 'node:crypto';
import { HandrailError } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import type { FileFacts, OpenedFiles, ReadableFile } from '../files.ts';
import { trimEndOf } from '../../lib/text/tidy-text.ts';

/** A file that an argument contains or refers to. */
export interface FileArgument {
  readonly content: Uint8Array | ReadableFile;
  readonly mediaType: string | null;
  readonly fileName: string | null;
}

/** The file of an argument: the opened file it refers to, or the one it contains. */
export function readFileArgument(
  value: JsonValue,
  name: string,
  opened: OpenedFiles | null | undefined,
): FileArgument {
  if (typeof value !== 'string') throw notAFileError(name);
  const file = opened?.get(value);
  if (file === undefined) return readInlineFile(value, name);
  return { content: file, mediaType: file.mediaType || null, fileName: file.name || null };
}

/** Reads base64 text or a data URL (RFC 2397); a data URL may carry `;name=report.pdf`. */
function readInlineFile(value: string, name: string): FileArgument & { readonly content: Uint8Array } {
  if (!/^data:/i.test(value)) return { content: fromBase64(value, name), mediaType: null, fileName: null };
  const comma = value.indexOf(',');
  if (comma < 0) throw notAFileError(name);
  const [mediaType = '', ...options] = value.slice('data:'.length, comma).split(';');
  const isBase64 = options.some((option) => option.trim().toLowerCase() === 'base64');
  const given = options
    .map((option) => /^\s*(?:file)?name=(.+)$/i.exec(option)?.[1])
    .find((found) => found !== undefined);
  const written = value.slice(comma + 1);
  return {
    content: isBase64 ? fromBase64(written, name) : fromPercent(written, name),
    mediaType: /^[\w.+-]+\/[\w.+-]+$/.test(mediaType.trim()) ? mediaType.trim() : null,
    fileName: given === undefined ? null : decodeLeniently(given),
  };
}

function fromBase64(text: string, name: string): Uint8Array {
  const clean = text.replace(/\s+/g, '').replace(/%3D/gi, '=');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(clean) || trimEndOf(clean, '=').length % 4 === 1)
    throw notAFileError(name);
  return Buffer.from(clean, 'base64');
}

function fromPercent(text: string, name: string): Uint8Array {
  try {
    return Buffer.from(decodeURIComponent(text), 'utf8');
  } catch {
    throw notAFileError(name);
  }
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function notAFileError(name: string): HandrailError {
  return pipelineErrors.notAFile(
    { argument: name },
    {
      problems: [{ path: `/${name}`, message: 'must be a handle, an https URL, a data URL or base64 text' }],
    },
  );
}

/** How a record describes a file, in place of its content or of the handle that opens it. */
export function fileFactsText(value: string, opened: OpenedFiles | null): string {
  const file = opened?.get(value) ?? inlineFileFacts(value);
  if (file === null) return `[a file that could not be read, ${value.length} characters]`;
  return `[file ${factsText(file)}]`;
}

/** A one-line description of a file. */
export function factsText({ name, mediaType, bytes, sha256 }: FileFacts): string {
  return [name, mediaType, `${bytes} bytes`, `SHA-256 ${sha256}`].filter((word) => word !== '').join(', ');
}

/** The size of the file that an argument contains. */
export function inlineFileBytes(value: string, name: string): number {
  return readInlineFile(value, name).content.length;
}

function inlineFileFacts(value: string): FileFacts | null {
  try {
    const { content, mediaType, fileName } = readInlineFile(value, '');
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { name: fileName ?? '', mediaType: mediaType ?? '', bytes: content.length, sha256 };
  } catch (error) {
    if (error instanceof HandrailError) return null;
    throw error;
  }
}
