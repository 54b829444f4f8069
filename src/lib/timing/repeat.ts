/** Runs something periodically without keeping the process alive; returns a function that stops it. */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onTrouble: (error: unknown) => void,
): () => void {
  const timer = setInterval(() => {
    // A synchronous failure must not end the process either.
    Promise.resolve().then(work).catch(onTrouble);
  }, everyMs).unref();
  return () => clearInterval(timer);
}
