import { useSyncExternalStore } from 'react';

/** Whether the gateway was unreachable in the latest requests. */
let isOffline = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  if (isOffline === next) return;
  isOffline = next;
  for (const listener of listeners) listener();
}

export const markReachable = (): void => set(false);

/** The connection failed, or a proxy reported that the gateway is down. */
export const markUnreachable = (): void => set(true);

export function useIsOffline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOffline,
  );
}

// Statuses a proxy returns when the gateway behind it is down.
const proxyErrorStatuses = new Set([502, 503, 504]);

/** Sends a request and tracks whether the gateway can be reached. */
export async function fetchTracked(url: string, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    // A gateway that is shutting down also returns 503, but with problem details of its own.
    if (proxyErrorStatuses.has(response.status) && !isFromGateway(response)) markUnreachable();
    else markReachable();
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) markUnreachable();
    throw error;
  }
}

function isFromGateway(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/problem+json') === true;
}
