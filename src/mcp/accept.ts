/** Whether an answer may be JSON; a missing or wildcard Accept takes it, as the simpler one. */
export function acceptsJson(accept: string | undefined): boolean {
  return (
    accept === undefined ||
    accept === '' ||
    accept.includes('application/json') ||
    accept.includes('*/*') ||
    accept.includes('application/*')
  );
}

/** Whether an answer may be a stream of events, which a client has to ask for by name. */
export function acceptsStream(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('text/event-stream');
}
