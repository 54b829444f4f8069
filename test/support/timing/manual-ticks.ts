/** Ticks of the event loop that a test runs one by one. */
export function manualTicks() {
  let scheduled: (() => void)[] = [];
  return {
    schedule(callback: () => void): void {
      scheduled.push(callback);
    },
    /** Runs what was scheduled for the next tick; false when nothing was. */
    run(): boolean {
      const due = scheduled;
      scheduled = [];
      for (const callback of due) callback();
      return due.length > 0;
    },
  };
}
