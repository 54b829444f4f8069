// The tools of a Handrail server for Mastra: node mastra.ts "What is the weather in Berlin?"
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';

const mcp = new MCPClient({
  servers: { handrail: { url: new URL(process.env['HANDRAIL_MCP_URL'] ?? 'http://127.0.0.1:8080/mcp') } },
});
const openai = createOpenAI({ baseURL: process.env['OPENAI_BASE_URL'] });
const agent = new Agent({
  id: 'my-agent',
  name: 'My agent',
  instructions: 'Use the tools to answer.',
  model: openai.chat(process.env['MODEL'] ?? 'gpt-5-mini'),
  tools: await mcp.listTools(),
});
const { text } = await agent.generate(process.argv[2] ?? 'What is the weather in Berlin?');
console.log(text);
await mcp.disconnect();
