import { assumedLegacyRevision } from './context.ts';

/** The maximum number of messages in a batch. */
export const maxBatchMessages = 100;

/**
 * Whether messages may be batched: only the revision that introduced batches had them
 * (https://modelcontextprotocol.io/specification/2025-06-18/changelog).
 */
export function hasBatches(revision: string = assumedLegacyRevision): boolean {
  return revision === '2025-03-26';
}
