import { lazy, Suspense, useEffect, useState } from 'react';
import { loadDialogs } from './load-dialogs.ts';

const Dialogs = lazy(loadDialogs);
const latestMs = 2_000;

/**
 * Where questions and toasts appear, fetched once the first page stands and has nothing else to do: a toast that says that
 * the gateway is away cannot be fetched from it.
 */
export function LaterDialogs() {
  const [calm, setCalm] = useState(false);
  useEffect(() => {
    // Safari has no idle callback.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(() => setCalm(true), latestMs);
      return () => clearTimeout(timer);
    }
    const callback = requestIdleCallback(() => setCalm(true), { timeout: latestMs });
    return () => cancelIdleCallback(callback);
  }, []);
  return (
    calm && (
      <Suspense>
        <Dialogs />
      </Suspense>
    )
  );
}
