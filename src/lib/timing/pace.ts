/** Called between the small steps of long work: waits for a turn of the event loop when the work has held it for a while. */
export type Pace = () => Promise<void> | undefined;

/** Makes a pace for one piece of work, so that it never holds the event loop for much longer than `maxHeldMs`. */
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
