/** Runs something once for many triggers: after a quiet period without any, or a maximum time after the first. */
export interface AfterQuiet {
  /** Triggers a run. */
  ask(): void;
  /** Cancels a run that hasn't started. */
  stop(): void;
}

/** `maxMs` is the longest that a steady stream of triggers can delay the run. It doesn't keep the process alive. */
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
