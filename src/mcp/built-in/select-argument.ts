import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Server } from '../../domain/server.ts';
import type { CompiledTool } from '../../pipeline/types.ts';
import { PartError, selectFrom } from '../../replies/reading/part-request.ts';
import { refusal } from './refusal.ts';

/** The argument by which a model picks what it reads of a reply, on servers that offer it. */
export const selectArgument = '_select';

type Arguments = Readonly<Record<string, unknown>>;

/** What an expression in a call comes to: how to pick, or a refusal before anything is called. */
export type ReadSelect = { readonly select: string | undefined } | { readonly refused: CallToolResult };

/** Reads an expression that a model wrote; null and undefined are none. */
export function readSelectOf(expression: unknown): ReadSelect {
  if (expression === undefined || expression === null) return { select: undefined };
  try {
    return { select: selectFrom(expression) };
  } catch (error) {
    if (error instanceof PartError) return { refused: refusal(`${error.message} The call was not made.`) };
    throw error;
  }
}

/** Whether a tool has the argument on this server: not where its API has one of the same name. */
export function offersSelect(server: Server, inputSchema: Readonly<Record<string, unknown>>): boolean {
  if (server.selectArgument !== true) return false;
  const properties = inputSchema['properties'];
  return !(
    typeof properties === 'object' &&
    properties !== null &&
    Object.hasOwn(properties, selectArgument)
  );
}

/** Whether a call of a tool has to be read without the argument. */
export function hasSelect(server: Server, tool: CompiledTool, args: unknown): args is Arguments {
  return (
    server.selectArgument === true &&
    typeof args === 'object' &&
    args !== null &&
    Object.hasOwn(args, selectArgument) &&
    offersSelect(server, tool.inputSchema)
  );
}

/** A schema with the argument. */
export function withSelect(inputSchema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    ...inputSchema,
    properties: {
      ...(inputSchema['properties'] as object | undefined),
      [selectArgument]: { type: 'string' },
    },
  };
}
