import type { ServerContext } from '@modelcontextprotocol/server';
import type { FollowUp } from '../domain/pages/follow-up.ts';
import { counted } from '../lib/text/counted.ts';

const everyMs = 2_000;

/**
 * Tells a client that asked for it (with a progress token) that a long call is still under way, until the returned
 * function is called. What is reported are whole seconds: an upstream says nothing about how far it is.
 */
export function reportProgress(
  context: ServerContext,
  tell: (seconds: number) => string = (seconds) => `Waiting for the API, ${seconds} s so far`,
): () => void {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    context.mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken, progress: seconds, message: tell(seconds) },
      })
      .catch(() => {});
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Tells a client that asked for it how many records have come, page by page; null when it did not ask. */
export function reportPages(context: ServerContext): FollowUp['report'] {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return null;
  let last = -1;
  return ({ pages, records, total }) => {
    // What is reported has to grow.
    if (records <= last) return;
    last = records;
    context.mcpReq
      .notify({
        method: 'notifications/progress',
        params: {
          progressToken,
          progress: records,
          ...(total !== null && total >= records && { total }),
          message: `${counted(records, 'record')} of ${counted(pages, 'page')} so far`,
        },
      })
      .catch(() => {});
  };
}
