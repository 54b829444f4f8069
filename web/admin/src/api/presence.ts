import { useSyncExternalStore } from 'react';

/** Whether the gateway answers, as far as the last requests tell. */
let away = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  if (away === next) return;
  away = next;
  for (const listener of listeners) listener();
}

/** Something came back, whatever it was. */
export const noteAnswer = (): void => set(false);

/** Nothing came back: the connection failed, or what stands in front says that nobody is behind it. */
export const noteSilence = (): void => set(true);

export function useAway(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => away,
  );
}

// What a proxy answers when the gateway behind it does not.
const nobodyBehind = new Set([502, 503, 504]);

/** Sends a request, and remembers whether the gateway is there. */
export async function fetchNoting(url: string, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    // A gateway that is leaving says so in its own words, and those are an answer.
    if (nobodyBehind.has(response.status) && !isOurs(response)) noteSilence();
    else noteAnswer();
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) noteSilence();
    throw error;
  }
}

function isOurs(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/problem+json') === true;
}
