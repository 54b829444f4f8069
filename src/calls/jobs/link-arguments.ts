import type { OperationLink } from '../../domain/operation.ts';
import { pointerKeys, valueAt } from '../../lib/json/json-pointer.ts';
import { writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import type { CompiledTool, Reply } from '../../pipeline/types.ts';

/** What a link's expressions are read from: the call, and the reply to it. */
export interface Linked {
  readonly from: CompiledTool;
  readonly arguments: unknown;
  readonly reply: Reply;
  /** The reply's JSON; undefined when it has none. */
  readonly value: unknown;
}

/** The arguments that a link gives the tool that it leads to; undefined when one cannot be told. */
export function linkArguments(
  { parameters }: OperationLink,
  to: CompiledTool,
  linked: Linked,
): Record<string, unknown> | undefined {
  const args: Record<string, unknown> = {};
  for (const [place, expression] of Object.entries(parameters)) {
    const key = place.replace(/^(?:path|query|header|cookie)\./, '');
    const name = to.tool.operation.parameters.find((each) => (each.key ?? each.name) === key)?.name;
    const value = meantBy(expression, linked);
    if (name === undefined || value === undefined || value === null) return undefined;
    args[name] = typeof value === 'string' ? writeMarkedText(value) : value;
  }
  const lacks = to.tool.operation.parameters.some(
    ({ name, required, fixed, default: preset }) =>
      required && fixed === undefined && preset === undefined && !Object.hasOwn(args, name),
  );
  return lacks ? undefined : args;
}

/** The value of a runtime expression (https://spec.openapis.org/oas/v3.1.1#runtime-expressions), or the text itself. */
function meantBy(expression: string, linked: Linked): unknown {
  const inner = /^\{(\$[^{}]+)\}$/.exec(expression)?.[1] ?? expression;
  if (!inner.startsWith('$')) return inner;
  if (inner === '$statusCode') return linked.reply.status;
  const header = /^\$response\.header\.(.{1,200})$/.exec(inner)?.[1];
  if (header !== undefined) return linked.reply.headers[header.toLowerCase()];
  if (inner === '$response.body') return linked.value;
  if (inner.startsWith('$response.body#')) return valueAt(linked.value, pointerKeys(inner.slice(15)));
  const [, place, key] = /^\$request\.(path|query|header)\.(.{1,500})$/.exec(inner) ?? [];
  if (place !== undefined) return argumentAt(linked, place, key!);
  if (inner.startsWith('$request.body#/')) return argumentAt(linked, 'body', inner.slice(15));
  return undefined;
}

function argumentAt({ from, arguments: args }: Linked, place: string, key: string): unknown {
  const name = from.tool.operation.parameters.find(
    (each) => each.in === place && (each.key ?? each.name) === key,
  )?.name;
  return name !== undefined && isObject(args) ? args[name] : undefined;
}
