import type { CallToolResult } from '@modelcontextprotocol/server';

/** A call of one of Handrail's own tools that comes to nothing, with a sentence that says why and what to do. */
export function refusal(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
