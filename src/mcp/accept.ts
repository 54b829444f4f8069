/** Whether an answer may be JSON; a missing or wildcard Accept gets JSON, as the simpler format. */
export function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || accept === '' || names(accept, 'application/json', 'application/*', '*/*');
}

/** Whether an answer may be an event stream, which a client must accept by name. */
export function acceptsStream(accept: string | undefined): boolean {
  return accept !== undefined && names(accept, 'text/event-stream');
}

// Media types are case-insensitive (RFC 9110 section 8.3.1), but almost everyone writes them in lowercase.
function names(accept: string, ...types: readonly string[]): boolean {
  const isLowercase = types.some((type) => accept.includes(type));
  return isLowercase || types.some((type) => accept.toLowerCase().includes(type));
}
