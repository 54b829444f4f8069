/** Called between the small steps of long work: yields to the event loop if the work has blocked it for a while. */
export type Pace = () => Promise<void> | undefined;

/**
 * Creates a pace for one piece of work, so that it never blocks the event loop for much longer than
 * `maxHeldMs`.
 */
export function createPace(maxHeldMs = 10): Pace {
  let heldSince = performance.now();
  return () => {
    if (performance.now() - heldSince < maxHeldMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        heldSince = performance.now();
        resolve();
      });
    });
  };
}
