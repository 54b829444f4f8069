import type { CallToolResult } from '@modelcontextprotocol/server';
import { mountErrors } from '../domain/error-messages/mount.ts';
import { toolNameText } from '../domain/names.ts';
import { HandrailError } from '../domain/errors.ts';
import { compileSchema } from '../lib/json/json-schema.ts';
import { isObject } from '../lib/json/plain-object.ts';
import { fits } from '../lib/schema/problems.ts';
import type { NativeFeatures, NativeTool } from '../mcp/native.ts';
import type { HostContext } from './host.ts';
import type { HostLog } from './host-log.ts';

/** What a tool in code may use. */
export interface HostToolContext {
  /** What was passed with the request. */
  readonly host: HostContext;
  /** Aborted when the client leaves or cancels. */
  readonly signal: AbortSignal;
}

/** The result of a tool in code: a text, any JSON value, or a whole MCP result. */
export type HostToolResult = string | number | boolean | null | object;

/** A tool that the app implements itself. */
export interface HostTool {
  readonly description: string;
  readonly title?: string;
  /** JSON Schema of its arguments, an object; without one it takes none. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** Whether it only reads; clients ask before they call others. */
  readonly readOnly?: boolean;
  /** Whether it deletes or overwrites. */
  readonly destructive?: boolean;
  /** A thrown HandrailError is shown to the model; any other error only to the log. */
  call(args: Record<string, unknown>, context: HostToolContext): HostToolResult | Promise<HostToolResult>;
}

/** The app's tools in code as features of the MCP surface, for one request; null if there are none. */
export function nativeTools(
  tools: Readonly<Record<string, HostTool>>,
  log: Pick<HostLog, 'error'>,
): ((host: HostContext) => NativeFeatures) | null {
  const made = Object.entries(tools).map(([name, tool]) => [name, prepare(name, tool, log)] as const);
  if (made.length === 0) return null;
  return (host) => ({
    tools: new Map(made.map(([name, toolFor]) => [name, toolFor(host)])),
    prompts: new Map(),
    resources: { list: [], templates: [], read: async () => undefined, subscribable: false },
    logging: false,
  });
}

function prepare(
  name: string,
  tool: HostTool,
  log: Pick<HostLog, 'error'>,
): (host: HostContext) => NativeTool {
  if (!fits(toolNameText, name)) throw mountErrors.nameUnusable({ name });
  const { inputSchema = {} } = tool;
  const schema = { properties: {}, additionalProperties: false, ...inputSchema, type: 'object' as const };
  const check = compileSchema(schema);
  const definition: NativeTool['definition'] = {
    name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema: schema,
    annotations: {
      readOnlyHint: tool.readOnly === true,
      ...(tool.readOnly !== true && { destructiveHint: tool.destructive === true }),
    },
  };
  return (host) => ({
    definition,
    async call(args, { mcp }) {
      const problems = check(args);
      if (problems.length > 0)
        return failed(problems.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('\n'));
      try {
        return resultOf(await tool.call(args, { host, signal: mcp.mcpReq.signal }));
      } catch (error) {
        if (error instanceof HandrailError) return failed(error.message);
        log.error({ err: error }, `the tool "${name}" failed`);
        return failed(mountErrors.hostToolFailed({ name }).message);
      }
    },
  });
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function resultOf(value: HostToolResult): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (isResult(value)) return value;
  const content = [{ type: 'text' as const, text: JSON.stringify(value) ?? 'null' }];
  return { content, ...(isObject(value) && { structuredContent: value }) };
}

function isResult(value: HostToolResult): value is CallToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}
