// The tools of a Handrail server for the AI SDK: node ai-sdk.ts "What is the weather in Berlin?"
import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs } from 'ai';

const mcp = await createMCPClient({
  transport: { type: 'http', url: process.env['HANDRAIL_MCP_URL'] ?? 'http://127.0.0.1:8080/mcp' },
});
const openai = createOpenAI({ baseURL: process.env['OPENAI_BASE_URL'] });
const { text } = await generateText({
  model: openai.chat(process.env['MODEL'] ?? 'gpt-5-mini'),
  tools: await mcp.tools(),
  stopWhen: stepCountIs(10),
  prompt: process.argv[2] ?? 'What is the weather in Berlin?',
});
console.log(text);
await mcp.close();
