import { parentPort, workerData } from 'node:worker_threads';
import { setField } from '../plain-object.ts';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';

/** The thread's only message: the value, or what is wrong with the text, in words for its sender. */
export type StrictJsonAnswer = { readonly value: unknown } | { readonly refusal: string };

const longChars = 256 * 1024;

/** Replaces long strings with bytes, which are transferred without being copied. */
function encodeLongTexts(value: unknown, encoded: ArrayBuffer[]): unknown {
  if (typeof value === 'string') {
    if (value.length < longChars) return value;
    const bytes = new TextEncoder().encode(value);
    encoded.push(bytes.buffer);
    return bytes;
  }
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, inner] of Object.entries(value)) {
    const next = encodeLongTexts(inner, encoded);
    if (next !== inner) setField(value, key, next);
  }
  return value;
}

const port = parentPort;
if (port) {
  try {
    const encoded: ArrayBuffer[] = [];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by strict-json-in-thread.ts
    const text = workerData as Uint8Array;
    const value = encodeLongTexts(parseStrictJson(text), encoded);
    port.postMessage({ value } satisfies StrictJsonAnswer, encoded);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    port.postMessage({ refusal: error.message } satisfies StrictJsonAnswer);
  }
}
