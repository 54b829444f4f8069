import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { localCaller } from '../../src/access/callers.ts';
import { call as callCommand } from '../../src/cli/commands/call.ts';
import type { CommandInput } from '../../src/cli/command.ts';
import { HandrailError } from '../../src/domain/errors.ts';
import type { Caller } from '../../src/domain/call.ts';
import type { Gateway } from '../../src/gateway.ts';
import { createApp } from '../../src/http/app.ts';
import { handrail, type Handrail } from '../../src/mount/handrail.ts';
import { createMcpHandlerToLoad } from '../../src/mcp/load-handler.ts';
import type { McpHandler } from '../../src/mcp/handler.ts';
import { createLineChannel } from '../../src/mcp/stdio/line-channel.ts';
import type { AnswerCall } from '../../src/calls/answer-call.ts';

import { adminToken } from './gateway.ts';
import { modern, rememberEnded } from './mcp-surface.ts';

/** Where a gateway is reached, over HTTP and over lines of text. */
export interface Reached {
  readonly url: string;
  readonly mcp: Pick<McpHandler, 'serveLines'>;
}

/** The surfaces of a gateway in front of another way to run calls; `close` before the gateway itself. */
export async function reachWith(
  { context }: Gateway,
  answerCall: AnswerCall,
): Promise<Reached & { close(): Promise<void> }> {
  const mcp = createMcpHandlerToLoad({
    ...context,
    answerCall,
    listedView: context.listedView,
    onRegistryChange: () => () => {},
    sessionKey: randomBytes(32),
    endedSessions: rememberEnded(),
  });
  const app = createApp({ ...context, answerCall, mcp });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url,
    mcp,
    async close() {
      await app.close();
      await mcp.close();
    },
  };
}

/** One call of a tool without arguments on the default server. */
export interface AskedCall {
  /** Slug of its API; a tool that is not stored yet has to name it. */
  readonly api: string;
  readonly tool: string;
  readonly traceparent?: string;
  /** An access key, for surfaces that ask for one. */
  readonly key?: string;
  /** Who is at the other end of stdio. */
  readonly caller?: Caller;
}

/** What a surface says of it; `refused` when there is no such call to make. */
export interface Told {
  readonly result: 'done' | 'failed' | 'refused';
  readonly text: string;
}

/** A way to call a tool. */
export interface CallSurface {
  readonly name: string;
  /** The surface that its records name. */
  readonly surface: string;
  /** Whether it serves callers, who may be given some tools only, or operators, who may try every tool. */
  readonly serves: 'callers' | 'operators';
  call(at: Reached, asked: AskedCall): Promise<Told>;
}

/** The resource that stands for a tool. */
export const resourceOf = (tool: string) => `tried://${tool}`;

// Neither lane that answers without the SDK takes a request with more in `_meta` than it knows.
const unusual = { 'example.com/unusual': 1 };

/** Every way to call a tool. */
export const callSurfaces: readonly CallSurface[] = [
  mcpSurface('MCP, modern', ({ tool }) => modern('tools/call', { name: tool, arguments: {} })),
  mcpSurface('MCP, modern, through the SDK', ({ tool }) =>
    modern('tools/call', { name: tool, arguments: {}, _meta: unusual }),
  ),
  mcpSurface('MCP, modern, its trace in _meta', ({ tool, traceparent }) =>
    modern('tools/call', { name: tool, arguments: {}, ...(traceparent && { _meta: { traceparent } }) }),
  ),
  mcpSurface('MCP, legacy', ({ tool }) => legacy('tools/call', { name: tool, arguments: {} })),
  mcpSurface('MCP, legacy, through the SDK', ({ tool }) =>
    legacy('tools/call', { name: tool, arguments: {}, _meta: unusual }),
  ),
  mcpSurface('MCP, legacy, its trace in _meta', ({ tool, traceparent }) =>
    legacy('tools/call', { name: tool, arguments: {}, ...(traceparent && { _meta: { traceparent } }) }),
  ),
  mcpSurface('resources/read, modern', ({ tool }) => modern('resources/read', { uri: resourceOf(tool) })),
  mcpSurface('resources/read, legacy', ({ tool }) => legacy('resources/read', { uri: resourceOf(tool) })),
  {
    name: 'HandsAI REST',
    surface: 'rest',
    serves: 'callers',
    async call({ url }, asked) {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: asked.tool } };
      return readRpc(await post(`${url}/mcp/tools/call`, body, headersOf(asked)));
    },
  },
  {
    name: 'REST of a server',
    surface: 'rest',
    serves: 'callers',
    async call({ url }, asked) {
      const answer = await post(`${url}/mcp/default/tools/${asked.tool}`, {}, headersOf(asked));
      // Accepted and not finished, which is no result.
      if (answer.status === 202)
        return { result: 'failed', text: (JSON.parse(answer.text) as { message: string }).message };
      if (answer.status < 400) return { result: 'done', text: answer.text };
      const { code, detail } = JSON.parse(answer.text) as { code: string; detail: string };
      return { result: code === 'unknown_tool' ? 'refused' : 'failed', text: detail };
    },
  },
  {
    name: 'explorer',
    surface: 'explorer',
    serves: 'callers',
    async call({ url }, asked) {
      const answer = await post(`${url}/explorer/default/tools/${asked.tool}/call`, {}, headersOf(asked));
      if (answer.status === 404) return { result: 'refused', text: answer.text };
      const { content, isError } = JSON.parse(answer.text) as ToolResult;
      return { result: isError ? 'failed' : 'done', text: textOf(content) };
    },
  },
  {
    name: 'stdio',
    surface: 'stdio',
    serves: 'callers',
    async call({ mcp }, { tool, traceparent, caller = localCaller }) {
      const input = new PassThrough();
      const output = new PassThrough();
      const lines = createInterface({ input: output })[Symbol.asyncIterator]();
      const lane = await mcp.serveLines(createLineChannel(input, output), 'default', caller, new Set());
      const _meta = traceparent === undefined ? {} : { traceparent };
      const { body } = modern('tools/call', { name: tool, arguments: {}, _meta });
      input.write(`${JSON.stringify(body)}\n`);
      const line = (await lines.next()) as { value: string };
      await lane.close();
      return readRpc({ status: 200, text: line.value });
    },
  },
  {
    // Mounted in an app whose routes are the server's tools, as the server's own document describes them.
    name: 'mount',
    surface: 'rest',
    serves: 'callers',
    async call({ url }, asked) {
      const headers = headersOf(asked);
      const document = await fetch(`${url}/mcp/default/openapi.json`, { headers });
      let mcp: Handrail;
      let status = 0;
      try {
        mcp = await handrail({
          document: await document.text(),
          // The app: its requests arrive here as the mount makes them.
          async fetch(request) {
            const answer = await fetch(new URL(new URL(request.url).pathname, url), {
              method: request.method,
              headers: request.headers,
              body: await request.arrayBuffer(),
              signal: request.signal,
            });
            ({ status } = answer);
            return answer;
          },
          forward: ['authorization'],
        });
      } catch (error) {
        if (!(error instanceof HandrailError)) throw error;
        return { result: 'refused', text: error.message };
      }
      try {
        const { body, headers: own } = modern('tools/call', { name: asked.tool, arguments: {} });
        const answer = await mcp.fetch(
          new Request('http://app.test/mcp', {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept: 'application/json', ...own, ...headers },
            body: JSON.stringify(body),
          }),
        );
        const told = readRpc({ status: answer.status, text: await answer.text() });
        // Accepted and not finished, which is no result.
        return status === 202 ? { result: 'failed', text: told.text.replaceAll('\\"', '"') } : told;
      } finally {
        await mcp.close();
      }
    },
  },
  operatorSurface('tool trial', ({ tool }) => [`/tools/${tool}/call`, {}]),
  operatorSurface('tool draft', ({ api, tool }) => [
    '/tool-drafts/call',
    { api, name: tool, operation: { method: 'GET', path: '/tried' } },
  ]),
  operatorSurface('shape preview', ({ tool }) => [
    `/tools/${tool}/shape-preview`,
    { reply: {}, sample: { from: 'call' } },
  ]),
  {
    // To a gateway elsewhere it speaks the admin API like everybody.
    name: 'command line',
    surface: 'admin',
    serves: 'operators',
    async call({ url }, { tool, traceparent }) {
      const printed: string[] = [];
      const input: CommandInput = {
        words: [tool],
        options: {},
        config: { adminToken } as CommandInput['config'],
        json: true,
        url,
        print: (line) => void printed.push(line),
        printError: (line) => void printed.push(line),
      };
      if (traceparent === undefined) delete process.env['TRACEPARENT'];
      else process.env['TRACEPARENT'] = traceparent;
      try {
        await callCommand.run(input);
        return readTrial(printed[0]!);
      } catch (error) {
        if (!(error instanceof HandrailError)) throw error;
        return { result: 'refused', text: error.message };
      } finally {
        delete process.env['TRACEPARENT'];
      }
    },
  },
];

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface ToolResult {
  readonly content: readonly { readonly text?: string }[];
  readonly isError?: boolean;
}

interface Message {
  readonly body: object;
  readonly headers: Record<string, string>;
}

function mcpSurface(name: string, write: (asked: AskedCall) => Message): CallSurface {
  const inMeta = name.endsWith('_meta');
  return {
    name,
    surface: 'mcp',
    serves: 'callers',
    async call({ url }, asked) {
      const { body, headers } = write(asked);
      const { traceparent, ...own } = headersOf(asked);
      const traced = { ...(!inMeta && traceparent !== undefined && { traceparent }) };
      return readRpc(await post(`${url}/mcp/default`, body, { ...headers, ...own, ...traced }));
    },
  };
}

function legacy(method: string, params: object): Message {
  return {
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: { 'mcp-protocol-version': '2025-06-18' },
  };
}

function operatorSurface(
  name: string,
  write: (asked: AskedCall) => [path: string, body: object],
): CallSurface {
  return {
    name,
    surface: 'admin',
    serves: 'operators',
    async call({ url }, asked) {
      const [path, body] = write(asked);
      const answer = await post(`${url}/api/v1${path}`, body, {
        ...headersOf({ ...asked, key: adminToken }),
      });
      return answer.status < 400 ? readTrial(answer.text) : readProblem(answer);
    },
  };
}

function headersOf({ key, traceparent }: Pick<AskedCall, 'key' | 'traceparent'>): Record<string, string> {
  return {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // Without streams, so that every answer is read in one way.
      accept: 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

/** An answer in JSON-RPC: an unknown tool or resource is an error of the request itself, as are arguments to HandsAI. */
function readRpc({ text }: Answer): Told {
  const { result, error } = JSON.parse(text) as {
    result?: ToolResult & { contents?: readonly { text?: string }[] };
    error?: { code: number; message: string };
  };
  if (error) {
    const isUnknown = /Unknown tool|not found/.test(error.message);
    return { result: isUnknown ? 'refused' : 'failed', text: error.message };
  }
  const content = result!.content ?? result!.contents;
  return { result: result!.isError ? 'failed' : 'done', text: textOf(content) };
}

/** The answer of a trial, or of a shape preview, which shows the reply itself. */
function readTrial(text: string): Told {
  const body = JSON.parse(text) as Partial<ToolResult> & { ok?: boolean; before?: { text: string } };
  if (body.before) return { result: 'done', text: body.before.text };
  return { result: body.ok ? 'done' : 'failed', text: textOf(body.content!) };
}

/** A preview has nothing to show of a call that failed, so it fails as well. */
function readProblem({ text }: Answer): Told {
  const { code, detail } = JSON.parse(text) as { code: string; detail: string };
  const isRefused = code === 'not_found' || /is disabled/.test(detail);
  return { result: isRefused ? 'refused' : 'failed', text: detail };
}

function textOf(content: readonly { readonly text?: string }[]): string {
  return content.map((part) => part.text ?? '').join('\n');
}
