declare global {
  interface Window {
    /** Answers to what the start script requested before the app was there, by address. */
    handrailEarlyResponses?: Map<string, Promise<Response>>;
  }
}

/** Sends a request before the app is there to want the answer. */
export function requestEarly(address: string, headers: HeadersInit): void {
  const answer = fetch(address, { headers, credentials: 'same-origin' });
  // Whoever takes it hears of a failure; one that nobody takes is nobody's trouble.
  answer.catch(() => undefined);
  (window.handrailEarlyResponses ??= new Map()).set(address, answer);
}

/** The answer to an early request, once. */
export function takeEarlyResponse(address: string): Promise<Response> | undefined {
  const answer = window.handrailEarlyResponses?.get(address);
  window.handrailEarlyResponses?.delete(address);
  return answer;
}
