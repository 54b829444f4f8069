let loading: Promise<typeof import('./Dialogs.tsx')> | null = null;

/** Fetches Mantine's confirmations and notifications: no page needs them before something was done on it. */
export function loadDialogs(): Promise<typeof import('./Dialogs.tsx')> {
  loading ??= import('./Dialogs.tsx').catch((error: unknown) => {
    // Asked again next time: the gateway may be back by then.
    loading = null;
    throw error;
  });
  return loading;
}
