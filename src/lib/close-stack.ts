/** Registers what ends something that was opened. */
export type OnClose = (close: () => unknown) => void;

/** What was opened, so that it can be closed in the opposite order. */
export interface CloseStack {
  readonly onClose: OnClose;
  /** Closes everything once, the last opened first. One that fails keeps no other open; the first failure is thrown. */
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
