/** Does something now and then while the process lives, without keeping it alive; returns how to stop. */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onTrouble: (error: unknown) => void,
): () => void {
  const timer = setInterval(() => {
    // Also what fails before it waits for anything must not end the process.
    Promise.resolve().then(work).catch(onTrouble);
  }, everyMs).unref();
  return () => clearInterval(timer);
}
