declare global {
  interface Window {
    /** What the start script asked before the app was there, by address. */
    handrailAsked?: Map<string, Promise<Response>>;
  }
}

/** Asks before the app is there to want the answer. */
export function askEarly(address: string, headers: HeadersInit): void {
  const answer = fetch(address, { headers, credentials: 'same-origin' });
  // Whoever takes it hears of a failure; one that nobody takes is nobody's trouble.
  answer.catch(() => undefined);
  (window.handrailAsked ??= new Map()).set(address, answer);
}

/** The answer to what was asked early, once. */
export function takeAsked(address: string): Promise<Response> | undefined {
  const answer = window.handrailAsked?.get(address);
  window.handrailAsked?.delete(address);
  return answer;
}
