import { askingEvidence, type OperationWords, strictestEvidence } from './operation-words.ts';
import { annotationsForMethod, type ToolAnnotations } from './tool.ts';

/** The annotations of an operation, and why they are not those of its method. */
export interface Meaning {
  readonly annotations: ToolAnnotations;
  /** The word that decided, and where it is; absent if the method did. */
  readonly because?: string;
}

/**
 * The annotations of an operation by what it says it does: a GET that deletes is not a read. Where its words and its
 * method disagree, the stricter kind wins; only a POST that asks for something and says nothing else is a read.
 */
export function annotationsByMeaning(words: OperationWords): Meaning {
  const method = words.method.toUpperCase();
  const byMethod = annotationsForMethod(method);
  const isRead = byMethod.readOnlyHint === true;
  const strictest = strictestEvidence(words, isRead);
  if (strictest?.kind === 'destructive' && method !== 'DELETE')
    return {
      annotations: { ...byMethod, readOnlyHint: false, destructiveHint: true },
      because: strictest.because,
    };
  if (strictest?.kind === 'write' && isRead)
    return {
      annotations: { ...byMethod, readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      because: strictest.because,
    };
  if (strictest === undefined && method === 'POST') {
    const because = askingEvidence(words);
    if (because !== undefined)
      return { annotations: { ...byMethod, readOnlyHint: true, idempotentHint: true }, because };
  }
  return { annotations: byMethod };
}
