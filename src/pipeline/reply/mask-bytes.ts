import { isUtf8 } from 'node:buffer';
import { withholding } from '../../lib/secrets/mask-pii.ts';
import { keepText, type MaskText } from '../../lib/secrets/mask-secrets.ts';
import type { FileSink } from '../files.ts';
import { asBuffer } from './media-type.ts';

/** Bytes without secrets if they are text in UTF-8; other bytes stay as they are, because a change would break them. */
export function maskBytes(bytes: Uint8Array, maskSecrets: MaskText): Uint8Array {
  if (maskSecrets === keepText || !isText(bytes)) return bytes;
  const text = asBuffer(bytes).toString('utf8');
  const masked = maskSecrets(text);
  return masked === text ? bytes : Buffer.from(masked);
}

function isText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

// A secret spelled in entities or with tags between its characters takes many times its length.
const maxSpelling = 16;
const minHeldBytes = 16 * 1024;

/** A sink that masks a file while it is written, for as long as the file is text. */
export function maskedSink(sink: FileSink, maskSecrets: MaskText): FileSink {
  if (maskSecrets === keepText) return sink;
  const maskChunk = withholding(maskSecrets);
  const longestSecret = Math.max(...maskSecrets.secrets.map(({ length }) => length));
  const heldBytes = Math.max(minHeldBytes, maxSpelling * longestSecret);
  let isBinary = false;
  let held: Uint8Array[] = [];
  let bytes = 0;

  function hold(...chunks: readonly Uint8Array[]): void {
    held.push(...chunks);
    for (const { length } of chunks) bytes += length;
  }

  function takeHeld(): Buffer {
    const all = Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
    return all;
  }

  return {
    async write(chunk) {
      if (isBinary) return sink.write(chunk);
      hold(chunk);
      if (bytes < 4 * heldBytes) return;
      const all = takeHeld();
      const end = all.length - unfinishedBytes(all);
      isBinary = !isText(all.subarray(0, end));
      if (isBinary) return sink.write(all);
      const masked = maskBytes(all.subarray(0, end), maskChunk);
      // The end is masked again with what follows, because a secret may have begun there.
      let cut = Math.max(0, masked.length - heldBytes);
      while (cut > 0 && isContinuation(masked[cut]!)) cut--;
      hold(masked.subarray(cut), all.subarray(end));
      await sink.write(masked.subarray(0, cut));
    },
    async keep(about) {
      const rest = takeHeld();
      if (rest.length > 0) await sink.write(maskBytes(rest, maskChunk));
      return sink.keep(about);
    },
    discard: () => sink.discard(),
  };
}

/** How many bytes at the end are the beginning of a character. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
