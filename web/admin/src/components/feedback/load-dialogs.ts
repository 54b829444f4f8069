let loading: Promise<typeof import('./Dialogs.tsx')> | null = null;

/** Fetches Mantine's dialogs and notifications, which no page needs before the first action. */
export function loadDialogs(): Promise<typeof import('./Dialogs.tsx')> {
  loading ??= import('./Dialogs.tsx').catch((error: unknown) => {
    // Retry next time: the gateway may be back by then.
    loading = null;
    throw error;
  });
  return loading;
}
