import { kindOf, type ToolKind } from '../domain/tool.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import type { ListedTool, ServerView } from '../registry/snapshot.ts';
import { mayCallFromCode } from './code-limits.ts';
import { declarationOf } from './declaration.ts';
import { directoryOf } from './tool-directory.ts';

/** A tool as somebody who writes a script needs it. */
export interface DescribedTool {
  readonly path: string;
  readonly toolId: string;
  readonly kind: ToolKind;
  /** Its types, in TypeScript. */
  readonly declaration: string;
  readonly inputSchema: JsonSchema;
  /** Undefined where nothing is known of its replies. */
  readonly replySchema: JsonSchema | undefined;
}

/** Everything there is to know of a tool before it is called. */
export function describeTool(view: ServerView, listed: ListedTool): DescribedTool {
  const { tool, inputSchema } = listed.compiled;
  const { replySchema } = tool.operation;
  const path = directoryOf(view).pathOf(listed);
  return {
    path,
    toolId: tool.id,
    kind: kindOf(tool),
    declaration: declarationOf({ path, description: listed.description, inputSchema, replySchema }),
    inputSchema,
    replySchema,
  };
}

/** The tools that scripts on a server may call, as the paths by which they do. */
export function scriptPaths(view: ServerView): readonly string[] {
  const { pathOf } = directoryOf(view);
  return view.tools
    .filter(({ compiled }) => mayCallFromCode(view.server, kindOf(compiled.tool)))
    .map((listed) => pathOf(listed));
}

/** What `tools.api.tool`, `api.tool`, `tools.api["tool"]` or the name of a tool alone names; undefined when there is none. */
export function findByPath(view: ServerView, path: string): ListedTool | undefined {
  return directoryOf(view).find(...splitPath(path));
}

/** The API and the name in one of the ways to write the path of a tool. */
export function splitPath(path: string): [api: string | null, name: string] {
  const plain = path.startsWith('tools.') ? path.slice('tools.'.length) : path;
  const quoted = /^([^.[]{1,100})\[["'](.{1,200})["']\]$/.exec(plain);
  if (quoted !== null) return [quoted[1]!, quoted[2]!];
  const dot = plain.indexOf('.');
  return dot === -1 ? [null, plain] : [plain.slice(0, dot), plain.slice(dot + 1)];
}
