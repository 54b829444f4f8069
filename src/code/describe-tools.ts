import { kindOf, type ToolKind } from '../domain/tool.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import type { ListedTool, ServerView } from '../registry/snapshot.ts';
import { shapes } from '../pipeline/reply/shape-reply.ts';
import { mayCallFromCode } from './code-limits.ts';
import { declarationOf } from './declaration.ts';
import { directoryOf } from './tool-directory.ts';

/** A tool as described to the author of a script. */
export interface DescribedTool {
  readonly path: string;
  readonly toolId: string;
  readonly kind: ToolKind;
  /** Its types, in TypeScript. */
  readonly declaration: string;
  readonly inputSchema: JsonSchema;
  /** Undefined if nothing is known about its replies. */
  readonly replySchema: JsonSchema | undefined;
}

/** Everything a script's author needs to know to call a tool. */
export function describeTool(view: ServerView, listed: ListedTool): DescribedTool {
  const { tool, inputSchema } = listed.compiled;
  const { replySchema, pagination } = tool.operation;
  // What an operator shapes has no known form.
  const list = pagination === undefined || shapes(tool.reply) ? undefined : { items: pagination.items };
  const path = directoryOf(view).pathOf(listed);
  return {
    path,
    toolId: tool.id,
    kind: kindOf(tool),
    declaration: declarationOf({ path, description: listed.description, inputSchema, replySchema, list }),
    inputSchema,
    replySchema,
  };
}

/** The paths of the tools that scripts on a server may call. */
export function scriptPaths(view: ServerView): readonly string[] {
  const { pathOf } = directoryOf(view);
  return view.tools
    .filter(({ compiled }) => mayCallFromCode(view.server, kindOf(compiled.tool)))
    .map((listed) => pathOf(listed));
}

/** The tool that `tools.api.tool`, `api.tool`, `tools.api["tool"]` or just its name refers to; undefined if there is none. */
export function findByPath(view: ServerView, path: string): ListedTool | undefined {
  return directoryOf(view).find(...splitPath(path));
}

/** The API and the tool name in a tool's path, in any of its spellings. */
export function splitPath(path: string): [api: string | null, name: string] {
  const plain = path.startsWith('tools.') ? path.slice('tools.'.length) : path;
  const quoted = /^([^.[]{1,100})\[["'](.{1,200})["']\]$/.exec(plain);
  if (quoted !== null) return [quoted[1]!, quoted[2]!];
  const dot = plain.indexOf('.');
  return dot === -1 ? [null, plain] : [plain.slice(0, dot), plain.slice(dot + 1)];
}
