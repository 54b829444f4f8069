// The tools of a Handrail server for LangChain: node langchain.ts "What is the weather in Berlin?"
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const mcp = new MultiServerMCPClient({
  mcpServers: {
    handrail: {
      transport: 'http',
      url: process.env['HANDRAIL_MCP_URL'] ?? 'http://127.0.0.1:8080/mcp',
    },
  },
});
const agent = createAgent({
  model: new ChatOpenAI({
    model: process.env['MODEL'] ?? 'gpt-5-mini',
    configuration: { baseURL: process.env['OPENAI_BASE_URL'] },
  }),
  tools: await mcp.getTools(),
});
const { messages } = await agent.invoke({
  messages: [{ role: 'user', content: process.argv[2] ?? 'What is the weather in Berlin?' }],
});
console.log(messages.at(-1)?.content);
await mcp.close();
