import { parentPort } from 'node:worker_threads';
import type { ListEntry } from '../list-entry.ts';
import { leanSchema } from '../lean-schema.ts';
import { countTokens } from './count-tokens.ts';

/** Texts to count, and the ID of the request. */
export interface CountRequest {
  readonly id: number;
  readonly texts: readonly string[];
  /** Whether they are list entries whose input schemas must be shortened first. */
  readonly areEntries: boolean;
}

export interface CountAnswer {
  readonly id: number;
  readonly counts: readonly number[];
}

const port = parentPort;
port?.on('message', ({ id, texts, areEntries }: CountRequest) => {
  const counts = texts.map((text) => countTokens(areEntries ? shortened(text) : text));
  port.postMessage({ id, counts } satisfies CountAnswer);
});

function shortened(text: string): string {
  const entry: ListEntry = JSON.parse(text);
  return JSON.stringify({ ...entry, inputSchema: leanSchema(entry.inputSchema).schema });
}
