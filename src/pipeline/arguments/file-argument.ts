import { HandrailError } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import { trimEndOf } from '../../lib/text/trim-ends.ts';

/** A file as an argument carries it. */
export interface FileArgument {
  readonly bytes: Uint8Array;
  readonly mediaType: string | null;
  readonly fileName: string | null;
}

/** Reads base64 text or a data URL (RFC 2397); a data URL may carry `;name=report.pdf`. */
export function readFileArgument(value: JsonValue, name: string): FileArgument {
  if (typeof value !== 'string') throw notFile(name);
  if (!/^data:/i.test(value)) return { bytes: fromBase64(value, name), mediaType: null, fileName: null };
  const comma = value.indexOf(',');
  if (comma < 0) throw notFile(name);
  const [mediaType = '', ...options] = value.slice('data:'.length, comma).split(';');
  const isBase64 = options.some((option) => option.trim().toLowerCase() === 'base64');
  const given = options
    .map((option) => /^\s*(?:file)?name=(.+)$/i.exec(option)?.[1])
    .find((found) => found !== undefined);
  const content = value.slice(comma + 1);
  return {
    bytes: isBase64 ? fromBase64(content, name) : fromPercent(content, name),
    mediaType: /^[\w.+-]+\/[\w.+-]+$/.test(mediaType.trim()) ? mediaType.trim() : null,
    fileName: given === undefined ? null : decodeLeniently(given),
  };
}

function fromBase64(text: string, name: string): Uint8Array {
  const clean = text.replace(/\s+/g, '').replace(/%3D/gi, '=');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(clean) || trimEndOf(clean, '=').length % 4 === 1) throw notFile(name);
  return Buffer.from(clean, 'base64');
}

function fromPercent(text: string, name: string): Uint8Array {
  try {
    return Buffer.from(decodeURIComponent(text), 'utf8');
  } catch {
    throw notFile(name);
  }
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function notFile(name: string): HandrailError {
  return new HandrailError(
    'invalid_arguments',
    `${name} must be a file: base64 text, or a data URL such as data:image/png;base64,….`,
    {
      problems: [{ path: `/${name}`, message: 'must be base64 text or a data URL' }],
    },
  );
}
