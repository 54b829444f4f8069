import { lettersOf } from '../../domain/pages/guess-pagination.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { CompiledTool } from '../../pipeline/compiled-tool.ts';
import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import { findCallable } from '../../registry/callable-tools.ts';
import { readAddress } from '../pages/page-address.ts';
import { matchPath } from './match-path.ts';
import type { OperationLink } from '../../domain/operation.ts';
import { pointerKeys, valueAt } from '../../lib/json/json-pointer.ts';
import { writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';

/** A call that returns the status of a job. */
export interface StatusCall {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const statusHeaders = ['operation-location', 'azure-asyncoperation', 'location', 'content-location'];
const statusFields = new Set(
  'statusurl,statusuri,pollurl,pollingurl,statuslink,joburl,operationurl,monitorurl,statusqueryuri,statusquerygeturi'.split(
    ',',
  ),
);

/** The address at which a reply says the job's status can be read, as the API wrote it; null if it gives none. */
export function statusAddress({ headers }: Pick<Reply, 'headers'>, value: unknown): string | null {
  const header = statusHeaders.map((name) => headers[name]).find((text) => text !== undefined && text !== '');
  if (header !== undefined) return header;
  if (!isObject(value)) return null;
  const addresses = Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && statusFields.has(lettersOf(key)) ? [inner] : [],
  );
  return addresses[0] ?? null;
}

/**
 * The tool that reads the status of a job: the one that the document links to, else the one whose path matches the
 * address.
 */
export function findStatusCall(
  call: Call,
  view: ServerView | undefined,
  reply: Reply,
  value: unknown,
): StatusCall | undefined {
  const near = readersOf(call, view);
  const address = statusAddress(reply, value);
  return (
    linkedTo(call, near, reply, value) ?? (address === null ? undefined : findReader(call, view, address))
  );
}

/** The tool that reads an address of the same API. */
export function findReader(
  call: Call,
  view: ServerView | undefined,
  address: string,
): StatusCall | undefined {
  const { request } = call.tool;
  const read = readAddress(address, { origin: request.origin, target: `${request.basePath}/` }, []);
  if ('refused' in read) return undefined;
  const [best] = readersOf(call, view)
    .flatMap((listed) => {
      const match = matchPath(listed.compiled, read.target);
      return match === undefined
        ? []
        : [{ toolName: listed.name, arguments: match.args, literal: match.literal }];
    })
    .toSorted((one, other) => other.literal - one.literal);
  return best && { toolName: best.toolName, arguments: best.arguments };
}

/** The read-only tools of the same API that this caller may call. */
function readersOf({ tool, caller }: Call, view: ServerView | undefined): readonly ListedTool[] {
  return (view?.tools ?? []).filter(
    ({ name, compiled }) =>
      compiled.api.id === tool.api.id &&
      compiled.request.origin === tool.request.origin &&
      compiled.request.method === 'GET' &&
      findCallable(view!, caller, name) !== undefined,
  );
}

function linkedTo(
  call: Call,
  near: readonly ListedTool[],
  reply: Reply,
  value: unknown,
): StatusCall | undefined {
  const linked = { from: call.tool, arguments: call.arguments, reply, value };
  for (const link of call.tool.tool.operation.links ?? []) {
    const wanted = idLetters(link.to);
    const reference = /#\/paths\/([^/]{1,4000})\/(\w{1,20})$/.exec(link.to);
    const path = reference?.[1]!.replaceAll('~1', '/').replaceAll('~0', '~');
    const target = near.find(({ compiled: { tool } }) =>
      path === undefined
        ? idLetters(tool.name) === wanted
        : tool.operation.path === path && tool.operation.method === reference![2]!.toUpperCase(),
    );
    const args = target && linkArguments(link, target.compiled, linked);
    if (args !== undefined) return { toolName: target!.name, arguments: args };
  }
  return undefined;
}

// A tool's name is its operationId, reduced to the characters allowed in tool names.
function idLetters(text: string): string {
  return text.toLowerCase().replace(/[^a-z\d]/g, '');
}

/** What a link's expressions are evaluated against: the call and its reply. */
interface Linked {
  readonly from: CompiledTool;
  readonly arguments: unknown;
  readonly reply: Reply;
  /** The reply's JSON; undefined if it has none. */
  readonly value: unknown;
}

/** The arguments that a link passes to its target; undefined if one can't be determined. */
function linkArguments(
  { parameters }: OperationLink,
  to: CompiledTool,
  linked: Linked,
): Record<string, unknown> | undefined {
  const args: Record<string, unknown> = {};
  for (const [place, expression] of Object.entries(parameters)) {
    const key = place.replace(/^(?:path|query|header|cookie)\./, '');
    const name = to.tool.operation.parameters.find((each) => (each.key ?? each.name) === key)?.name;
    const value = evaluate(expression, linked);
    if (name === undefined || value === undefined || value === null) return undefined;
    args[name] = typeof value === 'string' ? writeMarkedText(value) : value;
  }
  const isIncomplete = to.tool.operation.parameters.some(
    ({ name, required, fixed, default: preset }) =>
      required && fixed === undefined && preset === undefined && !Object.hasOwn(args, name),
  );
  return isIncomplete ? undefined : args;
}

/** The value of a runtime expression (https://spec.openapis.org/oas/v3.1.1#runtime-expressions), or the text itself. */
function evaluate(expression: string, linked: Linked): unknown {
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
