import { useEffect, useState } from 'react';

const maxIdleWaitMs = 2_000;

/** Whether the first page has rendered and the browser had time since: for what can wait. */
export function useIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    // Safari has no idle callback.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(() => setIsIdle(true), maxIdleWaitMs);
      return () => clearTimeout(timer);
    }
    const callback = requestIdleCallback(() => setIsIdle(true), { timeout: maxIdleWaitMs });
    return () => cancelIdleCallback(callback);
  }, []);
  return isIdle;
}
