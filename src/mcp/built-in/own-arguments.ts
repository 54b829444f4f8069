import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  type FollowUp,
  followUpNames,
  noFollowUp,
  notAsked,
  readFollowUp,
} from '../../domain/pages/follow-up.ts';
import type { Server } from '../../domain/server.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { CompiledTool } from '../../pipeline/compiled-tool.ts';
import { PartError, selectFrom } from '../../replies/reading/part-request.ts';
import { refusal } from './refusal.ts';

// Handrail's own arguments, in addition to those of an API: what to read of a reply, and what to do beyond one
// request.
const selectArgument = '_select';
const followUpArguments = followUpNames.map((name) => `_${name}`);

type Arguments = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

/** The `select` of a call, or a refusal before anything is called. */
export type ReadSelect = { readonly select: string | undefined } | { readonly refused: CallToolResult };

/** Reads an expression that a model wrote; null and undefined mean none. */
export function readSelectOf(expression: unknown): ReadSelect {
  if (expression === undefined || expression === null) return { select: undefined };
  try {
    return { select: selectFrom(expression) };
  } catch (error) {
    if (error instanceof PartError) return { refused: refusal(`${error.message} The call was not made.`) };
    throw error;
  }
}

/** The follow-up of a call of a listed tool that asks for none. */
export function directFollowUp(server: Server): FollowUp {
  return server.pageArguments === true ? notAsked._ : noFollowUp;
}

/** Which of these arguments a tool has on this server: not those with the name of an argument of its API. */
function offered(server: Server, inputSchema: Schema): readonly string[] {
  const names = [
    ...(server.selectArgument === true ? [selectArgument] : []),
    ...(server.pageArguments === true ? followUpArguments : []),
  ];
  const { properties } = inputSchema;
  return typeof properties === 'object' && properties !== null
    ? names.filter((name) => !Object.hasOwn(properties, name))
    : names;
}

/** Whether a call of a tool contains any of these arguments. */
export function hasOwnArguments(server: Server, tool: CompiledTool, args: unknown): args is Arguments {
  if (server.selectArgument !== true && server.pageArguments !== true) return false;
  if (typeof args !== 'object' || args === null) return false;
  return offered(server, tool.inputSchema).some((name) => Object.hasOwn(args, name));
}

/** Separates these arguments of a call from the others. */
export function takeOwnArguments(
  server: Server,
  tool: CompiledTool,
  args: Arguments,
):
  | { readonly select: string | undefined; readonly followUp: FollowUp; readonly rest: Arguments }
  | { readonly refused: CallToolResult } {
  const own = new Set(offered(server, tool.inputSchema));
  const take = (isOwn: boolean): Arguments =>
    Object.fromEntries(Object.entries(args).filter(([name]) => own.has(name) === isOwn));
  const given = take(true);
  const read = readSelectOf(given[selectArgument]);
  if ('refused' in read) return read;
  const followUp = server.pageArguments === true ? readFollowUp(given, '_') : noFollowUp;
  if ('problem' in followUp) return { refused: refusal(`${followUp.problem} The call was not made.`) };
  return { select: read.select, followUp, rest: take(false) };
}

const shown: Readonly<Record<string, Schema>> = {
  _select: { type: 'string', description: 'JMESPath: only these parts of the reply.' },
  _all: { type: 'boolean', description: 'Every page of a list.' },
  _max_items: { type: 'integer', minimum: 1, description: 'Limit for _all.' },
  _wait: { type: 'boolean', description: 'Until a job ends.' },
};

/** A schema as listed, with those of the arguments that are useful for the tool. */
export function withOwnArguments(server: Server, tool: CompiledTool, listed: Schema): Schema {
  if (server.selectArgument !== true && server.pageArguments !== true) return listed;
  const { pagination, longRunning } = tool.tool.operation;
  const names = offered(server, tool.inputSchema).filter((name) => {
    if (name === selectArgument) return true;
    return name === '_wait' ? longRunning === true : pagination !== undefined;
  });
  if (names.length === 0) return listed;
  const own = Object.fromEntries(names.map((name) => [name, shown[name]]));
  return { ...listed, properties: { ...objectOr(listed['properties']), ...own } };
}
