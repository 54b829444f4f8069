// The tools of a Handrail server for OpenAI's chat completions: node openai.ts "What is the weather in Berlin?"
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import OpenAI from 'openai';

const mcp = new Client({ name: 'my-agent', version: '1.0.0' });
await mcp.connect(
  new StreamableHTTPClientTransport(new URL(process.env['HANDRAIL_MCP_URL'] ?? 'http://127.0.0.1:8080/mcp')),
);
const { tools } = await mcp.listTools();
// OPENAI_API_KEY and OPENAI_BASE_URL come from the environment.
const openai = new OpenAI();
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: process.argv[2] ?? 'What is the weather in Berlin?' },
];

for (let turn = 0; turn < 10; turn++) {
  const { choices } = await openai.chat.completions.create({
    model: process.env['MODEL'] ?? 'gpt-5-mini',
    messages,
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  });
  const { message } = choices[0];
  messages.push(message);
  if (!message.tool_calls?.length) {
    console.log(message.content);
    break;
  }
  for (const call of message.tool_calls) {
    if (call.type !== 'function') continue;
    const result = await mcp.callTool({
      name: call.function.name,
      arguments: JSON.parse(call.function.arguments),
    });
    messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(result.content) });
  }
}
await mcp.close();
