/** Runs something once for many reasons: when none has come for a while, and in any case some time after the first. */
export interface AfterQuiet {
  /** Gives a reason to run. */
  ask(): void;
  /** Takes back what has not run yet. */
  stop(): void;
}

/** `maxMs` is the longest time that a steady stream of reasons can put it off. Nothing waits for it when the process ends. */
export function afterQuiet(run: () => void, quietMs: number, maxMs: number): AfterQuiet {
  let quiet: NodeJS.Timeout | null = null;
  let most: NodeJS.Timeout | null = null;

  function stop(): void {
    if (quiet !== null) clearTimeout(quiet);
    if (most !== null) clearTimeout(most);
    quiet = most = null;
  }
  function go(): void {
    stop();
    run();
  }

  return {
    ask() {
      if (quiet !== null) clearTimeout(quiet);
      quiet = setTimeout(go, quietMs).unref();
      most ??= setTimeout(go, maxMs).unref();
    },
    stop,
  };
}
