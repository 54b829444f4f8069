import { assumedLegacyRevision } from './context.ts';

/** The most messages that one batch may have. */
export const maxBatchMessages = 100;

/**
 * Whether messages may come in batches: the revision that brought them was the only one
 * (https://modelcontextprotocol.io/specification/2025-06-18/changelog).
 */
export function hasBatches(revision: string = assumedLegacyRevision): boolean {
  return revision === '2025-03-26';
}
