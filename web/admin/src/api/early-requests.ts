declare global {
  interface Window {
    /** Responses to requests the start script sent before the app loaded, by URL. */
    handrailEarlyResponses?: Map<string, Promise<Response>>;
  }
}

/** Sends a request before the app has loaded. */
export function sendEarlyRequest(address: string, headers: HeadersInit): void {
  const answer = fetch(address, { headers, credentials: 'same-origin' });
  // The code that takes the response handles a failure. If none takes it, the failure doesn't matter.
  answer.catch(() => undefined);
  (window.handrailEarlyResponses ??= new Map()).set(address, answer);
}

/** Takes the response to an early request; it can be taken once. */
export function takeEarlyResponse(address: string): Promise<Response> | undefined {
  const answer = window.handrailEarlyResponses?.get(address);
  window.handrailEarlyResponses?.delete(address);
  return answer;
}
