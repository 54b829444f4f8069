import { isUtf8 } from 'node:buffer';
import type { MaskText } from '../../../lib/secrets/mask-secrets.ts';
import { asBuffer, decodeText, mediaTypeOf } from '../media-type.ts';
import type { Reply } from '../../types.ts';
import { errorHeaders } from './error-headers.ts';
import { parseErrorBody } from './parse-error-body.ts';
import { type ErrorReading, readStatements } from './read-statements.ts';

/** An error reply as it was understood. */
export interface ReadError extends ErrorReading {
  /** The words of a body without fields; empty when it has fields or says nothing. */
  readonly words: string;
}

/** Reads what an error reply says in its body, and in its headers what the body leaves out. */
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
  // Old servers write their pages in the encoding of western Windows without saying so.
  return type.charset === null ? new TextDecoder('windows-1252').decode(bytes) : decodeText(reply, type);
}

const mostBytes = 16_384;

/** The words in something binary: formats such as protobuf and MessagePack hold their texts as they are. */
function readableRuns(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes.subarray(0, mostBytes));
  const runs = text.match(/[\p{L}\p{N}\p{P}\p{Sm}\p{Sc}\p{Sk} ]{4,}/gu) ?? [];
  return runs
    .filter((run) => /\p{L}{3}/u.test(run))
    .slice(0, 100)
    .join('\n');
}
