/** Whether an answer may be JSON; a missing or wildcard Accept takes it, as the simpler one. */
export function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || accept === '' || names(accept, 'application/json', 'application/*', '*/*');
}

/** Whether an answer may be a stream of events, which a client has to ask for by name. */
export function acceptsStream(accept: string | undefined): boolean {
  return accept !== undefined && names(accept, 'text/event-stream');
}

// Media types are the same in any case (RFC 9110 section 8.3.1); nearly everyone writes them small.
function names(accept: string, ...types: readonly string[]): boolean {
  const small = types.some((type) => accept.includes(type));
  return small || types.some((type) => accept.toLowerCase().includes(type));
}
