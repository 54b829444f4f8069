import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client';

/**
 * A transport of the official client that tells when the server has opened its stream for news. In the legacy
 * revisions the client asks for it by itself, after `connect` is done: what happens before it is open is not heard.
 */
export function listeningTransport(url: string, options: StreamableHTTPClientTransportOptions = {}) {
  let opened = (): void => {};
  const listening = new Promise<void>((resolve) => (opened = resolve));
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...options,
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if ((init?.method ?? 'GET') === 'GET' && answer.ok) opened();
      return answer;
    },
  });
  return { transport, listening };
}
