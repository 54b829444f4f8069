import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { Dialect } from './dialects.ts';
import { toPortableSchema } from './portable-schema.ts';
import type { DialectChange } from './portable-schema.ts';

/** A tool written in a dialect, and everything the dialect changed about it. */
export interface RenderedTool {
  readonly tool: McpTool;
  readonly changes: readonly DialectChange[];
}

/** Writes a tool in a dialect, except for its name: see `shownNames`. */
export function renderDialect(tool: McpTool, dialect: Dialect): RenderedTool {
  if (!dialect.rules) return { tool, changes: [] };
  const { schema, changes } = toPortableSchema(tool.inputSchema, dialect.rules);
  const all = changes.map(({ path, change }) => ({ path: `/inputSchema${path}`, change }));
  const { outputSchema, description, ...rest } = tool;
  if (outputSchema && !dialect.outputSchema) all.push({ path: '/outputSchema', change: 'left out' });
  const short = description === undefined ? undefined : shorten(description, dialect.maxDescriptionLength);
  if (short !== description)
    all.push({ path: '/description', change: `shortened to ${dialect.maxDescriptionLength} characters` });
  return {
    tool: {
      ...rest,
      ...(short !== undefined && { description: short }),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a schema of objects, as `toPortableSchema` returns it
      inputSchema: schema as McpTool['inputSchema'],
      ...(outputSchema && dialect.outputSchema && { outputSchema }),
    },
    changes: all,
  };
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  const space = cut.lastIndexOf(' ');
  const end = space > max / 2 ? space : cut.length;
  // A cut between the halves of a surrogate pair would leave broken text.
  const safe = /[\uD800-\uDBFF]$/.test(cut.slice(0, end)) ? end - 1 : end;
  return `${cut.slice(0, safe)}…`;
}
