import { mcpErrors } from '../../../domain/error-messages/mcp.ts';
import { HandrailError } from '../../../domain/errors.ts';
import type { FetchGuarded } from '../../../upstream/fetch-guarded.ts';

/**
 * Turns texts into vectors; similar meanings point in similar directions. Rejects with a sentence that says why it
 * failed.
 */
export type Embed = (
  texts: readonly string[],
  timeoutMs: number,
  signal?: AbortSignal,
) => Promise<Int8Array[]>;

/** The embeddings endpoint to use. */
export interface EmbeddingsSettings {
  /** With or without `/embeddings` at the end. */
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
}

const maxReplyBytes = 32 * 1024 * 1024;
const maxDimensions = 16_384;

/** Calls an endpoint compatible with OpenAI's embeddings API, through the egress guard. */
export function createEmbed(fetch: FetchGuarded, { url, model, key }: EmbeddingsSettings): Embed {
  const address = new URL(url);
  if (!address.pathname.endsWith('/embeddings'))
    address.pathname = `${address.pathname.replace(/\/$/, '')}/embeddings`;
  return async (texts, timeoutMs, signal) => {
    const { status, body } = await fetch({
      url: address.href,
      method: 'POST',
      headers: {
        accept: 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: {
        contentType: 'application/json',
        content: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      },
      maxReplyBytes,
      timeoutMs,
      ...(signal && { signal }),
    });
    if (status !== 200) throw endpointError(`answered with status ${status}`);
    return readVectors(body.toString('utf8'), texts.length);
  };
}

/** The vectors of an answer, in the order of the request. */
function readVectors(text: string, wanted: number): Int8Array[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw endpointError('did not answer with JSON');
  }
  const data: unknown = isRecord(answer) ? answer['data'] : undefined;
  if (!Array.isArray(data) || data.length !== wanted)
    throw endpointError(`did not answer with a list "data" of ${wanted} embeddings`);
  const vectors: Int8Array[] = [];
  data.forEach((item: unknown, at) => {
    const { index = at, embedding } = isRecord(item) ? item : {};
    if (typeof index !== 'number' || !(index in data) || vectors[index] !== undefined || !isVector(embedding))
      throw endpointError(`answered with an embedding (the ${at + 1}th) that is not a list of numbers`);
    vectors[index] = quantized(embedding);
  });
  if (vectors.some(({ length }) => length !== vectors[0]!.length))
    throw endpointError('answered with embeddings of different lengths');
  return vectors;
}

/** One byte per number: directions keep a precision of about one percent, in a quarter of the memory. */
function quantized(vector: readonly number[]): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return Int8Array.from(vector, (value) => (largest === 0 ? 0 : Math.round((value / largest) * 127)));
}

function isVector(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxDimensions &&
    value.every((one) => typeof one === 'number' && Number.isFinite(one))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function endpointError(problem: string): HandrailError {
  return mcpErrors.embeddingsFailed({ problem });
}
