import type { CallToolResult } from '@modelcontextprotocol/server';

/** The failure of a built-in tool, with a sentence that says why and what to do. */
export function refusal(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
