// The tools of a Handrail server for Anthropic's messages: node anthropic.ts "What is the weather in Berlin?"
import Anthropic from '@anthropic-ai/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const mcp = new Client({ name: 'my-agent', version: '1.0.0' });
await mcp.connect(
  new StreamableHTTPClientTransport(new URL(process.env['HANDRAIL_MCP_URL'] ?? 'http://127.0.0.1:8080/mcp')),
);
const { tools } = await mcp.listTools();
// ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL come from the environment.
const anthropic = new Anthropic();
const messages: Anthropic.MessageParam[] = [
  { role: 'user', content: process.argv[2] ?? 'What is the weather in Berlin?' },
];

for (let turn = 0; turn < 10; turn++) {
  const { content } = await anthropic.messages.create({
    model: process.env['MODEL'] ?? 'claude-sonnet-4-5',
    max_tokens: 1024,
    messages,
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description: description ?? '',
      input_schema: inputSchema,
    })),
  });
  messages.push({ role: 'assistant', content });
  const calls = content.filter((part) => part.type === 'tool_use');
  if (calls.length === 0) {
    for (const part of content) if (part.type === 'text') console.log(part.text);
    break;
  }
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const call of calls) {
    const result = await mcp.callTool({
      name: call.name,
      arguments: call.input as Record<string, unknown>,
    });
    results.push({ type: 'tool_result', tool_use_id: call.id, content: JSON.stringify(result.content) });
  }
  messages.push({ role: 'user', content: results });
}
await mcp.close();
