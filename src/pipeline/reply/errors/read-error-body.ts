import { isUtf8 } from 'node:buffer';
import type { MaskText } from '../../../lib/secrets/mask-secrets.ts';
import { asBuffer, decodeText, mediaTypeOf } from '../media-type.ts';
import type { Reply } from '../reply.ts';
import { parseErrorBody } from './parse-error-body.ts';
import { type ErrorReading, readStatements, type LabelledText } from './read-statements.ts';

/** A parsed error reply. */
export interface ReadError extends ErrorReading {
  /** The text of a body without fields; empty if it has fields or no text. */
  readonly words: string;
}

/** Reads what an error reply says in its body, plus anything its headers add. */
export function readErrorBody(reply: Reply, maskSecrets: MaskText): ReadError {
  const body = parseErrorBody(maskSecrets(bodyText(reply)));
  const reading = readStatements('value' in body ? body.value : {}, reply.status);
  const words = 'text' in body ? body.text : '';
  const known = `${words}\n${reading.statements.flatMap((each) => [...each.reasons, ...each.codes.map(([, code]) => code)]).join('\n')}`;
  const hints = errorHeaders(reply)
    .map(([name, text]) => [name, maskSecrets(text)] as const)
    .filter(([, text]) => !known.includes(text));
  if (hints.length === 0) return { ...copyOf(reading), words };
  return {
    ...copyOf(reading),
    statements: [
      ...reading.statements,
      ...hints.map(([name, text]) => ({
        where: '',
        reasons: [],
        codes: [],
        others: [[name, text] as const],
      })),
    ],
    words,
  };
}

function copyOf({ statements, asides, waits, isCut }: ErrorReading): ErrorReading {
  return { statements, asides, waits, isCut };
}

function bodyText(reply: Reply): string {
  const type = mediaTypeOf(reply);
  const bytes = asBuffer(reply.body);
  if (bytes.length >= 2 && (bytes.readUInt16BE(0) === 0xfffe || bytes.readUInt16BE(0) === 0xfeff))
    return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  if (isUtf8(bytes)) {
    return bytes.includes(0) ? readableRuns(bytes) : decodeText(reply, type);
  }
  if (!type.text) return readableRuns(bytes);
  // Old servers send pages in Windows-1252 without declaring it.
  return type.charset === null ? new TextDecoder('windows-1252').decode(bytes) : decodeText(reply, type);
}

const maxBytes = 16_384;

/** The readable text in binary data: formats such as protobuf and MessagePack store strings verbatim. */
function readableRuns(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes.subarray(0, maxBytes));
  const runs = text.match(/[\p{L}\p{N}\p{P}\p{Sm}\p{Sc}\p{Sk} ]{4,}/gu) ?? [];
  return runs
    .filter((run) => /\p{L}{3}/u.test(run))
    .slice(0, 100)
    .join('\n');
}

// Headers in which APIs describe the error when the body says little or nothing.
const errorHeaderName =
  /^(?:www-authenticate|warning|allow|accept-(?:post|patch|ranges)|deprecation|sunset|x-accepted-oauth-scopes|x-oauth-scopes|grpc-status|grpc-message|(?:[a-z0-9]+-)*(?:error|errors|fault|reason|exception)(?:-?(?:type|code|message|msg|description|detail|details|reason|name|text|info|subcode))?|(?:[a-z0-9]+-)*(?:errortype|errorcode|errormessage|errordescription))$/;
const onlyFor: Readonly<Record<string, readonly number[]>> = {
  allow: [405],
  'accept-post': [415],
  'accept-patch': [415],
  'accept-ranges': [416],
  'www-authenticate': [401, 403],
  'x-oauth-scopes': [401, 403, 404],
  'x-accepted-oauth-scopes': [401, 403, 404],
};
const maxHeaderLength = 500;
const maxHeaders = 12;

/** The headers of an error reply that describe the error. */
function errorHeaders(reply: Reply): LabelledText[] {
  const found: LabelledText[] = [];
  for (const [name, value] of Object.entries(reply.headers)) {
    if (name.length > 60 || value === '' || !errorHeaderName.test(name)) continue;
    if (onlyFor[name] !== undefined && !onlyFor[name].includes(reply.status)) continue;
    // A challenge without parameters carries no information.
    if (name === 'www-authenticate' && !/error|scope|=/i.test(value)) continue;
    found.push([name, (name === 'grpc-message' ? unescaped(value) : value).slice(0, maxHeaderLength)]);
    if (found.length === maxHeaders) break;
  }
  if (reply.status === 415 && reply.headers['accept'] !== undefined)
    found.push(['accept', reply.headers['accept'].slice(0, maxHeaderLength)]);
  return found;
}

// gRPC over HTTP writes its message percent-encoded.
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
