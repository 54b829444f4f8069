import { json } from './responses.ts';
import type { CallResult, ErrorSite, IncomingRequest, ToolCallHandler } from './types.ts';

/** Runs the handler and responds with its result. Never rejects: whatever it throws becomes a tool error. */
export async function runTool(
  handleCall: ToolCallHandler,
  name: string,
  args: Record<string, unknown>,
  request: IncomingRequest,
  onError: (error: unknown, site: ErrorSite) => void,
): Promise<Response> {
  try {
    const returned: unknown =
      handleCall.length >= 3
        ? await handleCall(name, args, request)
        : await (handleCall as (name: string, args: Record<string, unknown>) => unknown)(name, args);
    if (!Array.isArray(returned) || !Array.isArray(returned[0])) {
      throw new TypeError('the tool handler must return [content, isError, traceId?]');
    }
    const result = toCallResult(returned[0] as CallResult['content'], Boolean(returned[1]), returned[2]);
    return json(result, result.isError ? 500 : 200, upstreamHeader(returned[3]));
  } catch (error) {
    onError(error, { during: 'call', toolName: name });
    return json(toCallResult([{ type: 'text', text: messageOf(error) }], true, undefined), 500);
  }
}

function toCallResult(content: CallResult['content'], isError: boolean, traceId: unknown): CallResult {
  const meta = typeof traceId === 'string' && traceId !== '' ? { _meta: { _trace_id: traceId } } : {};
  return { content, isError, ...meta };
}

/** In a header, because the body's shape is a contract with other clients. */
function upstreamHeader(status: unknown): Record<string, string> {
  return Number.isInteger(status) ? { 'x-upstream-status': String(status) } : {};
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'The tool failed.';
  }
}
