import { failure, json } from './responses.ts';
import { guardCall } from './guard-call.ts';
import { findTool, listTools, toDetail, toSummary } from './list-tools.ts';
import { createPage } from './page.ts';
import { parseBody, readGivenBody } from './request-body.ts';
import type { BodySource, RequestBody } from './request-body.ts';
import { headerOf } from './request-headers.ts';
import { runTool } from './run-tool.ts';
import type {
  ErrorSite,
  IncomingRequest,
  Route,
  ToolCallHandler,
  ToolsProvider,
  UIConfig,
  ValidateResult,
} from './types.ts';
import { validateArguments } from './validate-arguments.ts';

const defaultMaxBodyBytes = 4 * 1024 * 1024;

/** Handles one matched route. `body` is read only after the checks before it. */
export type Answer = (
  pattern: Route['pattern'],
  request: IncomingRequest,
  params: Record<string, string>,
  body: BodySource,
) => Promise<Response>;

/** The method of each pattern. */
export const methodOf: Record<Route['pattern'], Route['method']> = {
  '/': 'GET',
  '/tools': 'GET',
  '/tools/:name': 'GET',
  '/tools/:name/validate': 'POST',
  '/tools/:name/call': 'POST',
};

/** The five routes, for your own router. `params.name` is the decoded tool name. */
export function buildUIRoutes(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  config: UIConfig = {},
): Route[] {
  const answer = createAnswer(tools, handleCall, config);
  const maxBytes = maxBodyBytesOf(config);
  return (Object.keys(methodOf) as Route['pattern'][]).map((pattern) => ({
    method: methodOf[pattern],
    pattern,
    handler: (request, params) =>
      answer(pattern, request, params ?? {}, { read: () => readFramework(request, maxBytes) }),
  }));
}

/** The maximum body size under this configuration. */
export function maxBodyBytesOf(config: UIConfig): number {
  return config.maxBodyBytes ?? defaultMaxBodyBytes;
}

/** Calls `onError` without letting it affect the response. */
export function reporterOf(config: UIConfig): (error: unknown, site: ErrorSite) => void {
  const report = config.onError ?? logToConsole;
  return (error, site) => {
    try {
      report(error, site);
    } catch {
      // A failing reporter must not change the response.
    }
  };
}

/** The behavior behind all three entry points. The returned function never rejects. */
export function createAnswer(tools: ToolsProvider, handleCall: ToolCallHandler, config: UIConfig): Answer {
  const onError = reporterOf(config);
  const page = createPage(config);
  const maxBytes = maxBodyBytesOf(config);

  async function callTool(request: IncomingRequest, name: string, body: BodySource): Promise<Response> {
    if (config.allowExecute !== true) return failure(403, 'Tool execution is disabled.');
    if ((await findTool(tools, name)) === undefined) return toolNotFound(name);
    const received = await body.read();
    if (received.kind === 'too-large') return tooLarge(maxBytes);
    const parsed = parseBody(received);
    if (!parsed.ok && parsed.why === 'too-deep') return failure(413, `The request body ${parsed.detail}.`);
    body.onParsed?.(parsed.ok ? parsed.value : {});
    const args = parsed.ok && isPlainObject(parsed.value) ? parsed.value : {};
    const run = () => runTool(handleCall, name, args, request, onError);
    return config.authHook ? guardCall(config.authHook, request, name, run, onError) : run();
  }

  async function validateTool(name: string, body: BodySource): Promise<Response> {
    const tool = await findTool(tools, name);
    if (tool === undefined) return toolNotFound(name);
    const received = await body.read();
    if (received.kind === 'too-large') return tooLarge(maxBytes);
    const parsed = parseBody(received);
    if (!parsed.ok)
      return parsed.why === 'too-deep'
        ? json(refused(parsed.detail, 'depth'))
        : json(refused(`Invalid JSON: ${parsed.detail}`, 'format'), 400);
    return json(validateArguments(tool.inputSchema, parsed.value));
  }

  async function showTool(name: string): Promise<Response> {
    const tool = await findTool(tools, name);
    return tool === undefined ? toolNotFound(name) : json(toDetail(tool));
  }

  return async (pattern, request, params, body) => {
    const name = params['name'] ?? '';
    try {
      switch (pattern) {
        case '/':
          return page();
        case '/tools':
          return json((await listTools(tools)).map(toSummary));
        case '/tools/:name':
          return await showTool(name);
        case '/tools/:name/validate':
          return isCrossSite(request) ? crossSite() : await validateTool(name, body);
        case '/tools/:name/call':
          return isCrossSite(request) ? crossSite() : await callTool(request, name, body);
      }
    } catch (error) {
      onError(error, { during: 'tools', ...(name === '' ? {} : { toolName: name }) });
      return failure(500, 'Could not list the tools.');
    }
  };
}

function toolNotFound(name: string): Response {
  return failure(404, `Tool not found: ${name}`);
}

function tooLarge(maxBytes: number): Response {
  return failure(413, `The request body is larger than ${maxBytes} bytes.`);
}

function refused(message: string, keyword: string): ValidateResult {
  return { valid: false, errors: [{ path: '', message, keyword }] };
}

/**
 * A page on another site can post here without a CORS preflight, and could run tools on a server on this machine.
 * Browsers reveal this in a header that other programs don't send.
 * https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
function isCrossSite(request: IncomingRequest): boolean {
  return headerOf(request.headers ?? {}, 'sec-fetch-site') === 'cross-site';
}

function crossSite(): Response {
  return failure(403, 'Cross-site requests are not allowed.');
}

/** A framework's request: its parsed body, or the unread stream that the request itself is. */
async function readFramework(request: IncomingRequest, maxBytes: number): Promise<RequestBody> {
  const stream = request as { readableDidRead?: unknown };
  if (request.body === undefined && stream.readableDidRead === false && Symbol.asyncIterator in request) {
    return readGivenBody(request, maxBytes);
  }
  return readGivenBody(request.body, maxBytes);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function logToConsole(error: unknown, site: ErrorSite): void {
  const tool = site.toolName === undefined ? '' : ` (${JSON.stringify(site.toolName)})`;
  // oxlint-disable-next-line no-console -- the documented default of an embedded library
  console.error(`[@handrail/explorer] ${site.during} failed${tool}:`, error);
}
