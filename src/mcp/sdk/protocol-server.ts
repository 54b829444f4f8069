import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server';

import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { hasLongNumbers } from '../../lib/json/numbers/exact-numbers.ts';

const sentArguments = Symbol('sent arguments');

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/**
 * The SDK's protocol object, with errors distinguished: invalid parameters are the client's fault and explained in a
 * sentence, and a bug of ours reveals nothing internal.
 */
export class ProtocolServer extends Server {
  /** The arguments of a call as they were sent, if the SDK's copy has lost digits of long numbers. */
  sentArguments(
    context: ServerContext & { readonly [sentArguments]?: PlainObject },
  ): PlainObject | undefined {
    return context[sentArguments];
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      const given: unknown = method === 'tools/call' ? request.params?.['arguments'] : undefined;
      if (isObject(given) && hasLongNumbers(given)) Object.assign(context, { [sentArguments]: given });
      try {
        return await wrapped(request, context);
      } catch (thrown) {
        throw this.#translated(thrown);
      }
    };
  }

  #translated(thrown: unknown): unknown {
    if (!(thrown instanceof Error)) return thrown;
    const issues = readIssues(thrown.message);
    if (issues !== undefined) {
      return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: ${issues}`);
    }
    if (!bugs.some((kind) => thrown instanceof kind)) return thrown;
    this.onerror?.(thrown);
    return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  }
}

const bugs = [TypeError, RangeError, ReferenceError, SyntaxError];
const maxIssues = 5;

/** What is wrong with the parameters, if the SDK's message is a list of issues in JSON. */
function readIssues(message: string): string | undefined {
  const start = message.indexOf('[');
  if (start === -1 || !message.endsWith(']')) return undefined;
  let issues: unknown;
  try {
    issues = JSON.parse(message.slice(start));
  } catch {
    return undefined;
  }
  if (!Array.isArray(issues) || issues.length === 0 || !issues.every(isIssue)) return undefined;
  return issues
    .slice(0, maxIssues)
    .map(({ path, message: what }) => `${place(path)}${what}`)
    .join('; ');
}

function isIssue(value: unknown): value is { path: readonly unknown[]; message: string } {
  const { path, message } = (value ?? {}) as { path?: unknown; message?: unknown };
  return Array.isArray(path) && typeof message === 'string';
}

function place(path: readonly unknown[]): string {
  const inside = path[0] === 'params' ? path.slice(1) : path;
  return inside.length === 0 ? '' : `${inside.join('.')}: `;
}
