import type { ServerContext } from '@modelcontextprotocol/server';

const everyMs = 2_000;

/**
 * Tells a client that asked for it (with a progress token) that a long call is still under way, until the returned
 * function is called. What is reported are whole seconds: an upstream says nothing about how far it is.
 */
export function reportProgress(context: ServerContext): () => void {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    context.mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken, progress: seconds, message: `Waiting for the API, ${seconds} s so far` },
      })
      .catch(() => {});
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
