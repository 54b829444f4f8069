/** Registers a cleanup step for something that was opened. */
export type OnClose = (close: () => unknown) => void;

/** Everything that was opened, so that it can be closed in reverse order. */
export interface CloseStack {
  readonly onClose: OnClose;
  /**
   * Closes everything once, last opened first. If one step fails, the others still run; the first failure is
   * thrown.
   */
  closeAll(): Promise<void>;
}

export function createCloseStack(): CloseStack {
  const closers: (() => unknown)[] = [];
  return {
    onClose: (close) => void closers.push(close),
    async closeAll() {
      const failures: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
