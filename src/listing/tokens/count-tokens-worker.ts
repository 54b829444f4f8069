import { parentPort } from 'node:worker_threads';
import { countTokens } from './count-tokens.ts';

/** Texts to be counted, and the number they are asked under. */
export interface CountRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountAnswer {
  readonly id: number;
  readonly counts: readonly number[];
}

const port = parentPort;
port?.on('message', ({ id, texts }: CountRequest) => {
  port.postMessage({ id, counts: texts.map(countTokens) } satisfies CountAnswer);
});
