import type { Tool, ToolsProvider } from './types.ts';

/** Returns the tools. If they come from a function, it is called on every request. */
export async function listTools(tools: ToolsProvider): Promise<readonly Tool[]> {
  const list = typeof tools === 'function' ? await tools() : tools;
  if (!Array.isArray(list)) throw new TypeError('the tools must be an array, or a function that returns one');
  return list as readonly Tool[];
}

/** Finds a tool by its exact name; the first if two share a name. */
export async function findTool(tools: ToolsProvider, name: string): Promise<Tool | undefined> {
  return (await listTools(tools)).find((tool) => tool.name === name);
}

/** A tool as `GET /tools` lists it. */
export function toSummary(tool: Tool): Record<string, unknown> {
  return {
    name: tool.name,
    description: tool.description ?? '',
    ...(tool.annotations ? { annotations: tool.annotations } : {}),
  };
}

/** A tool as `GET /tools/{name}` shows it. */
export function toDetail(tool: Tool): Record<string, unknown> {
  return {
    name: tool.name,
    description: tool.description ?? '',
    inputSchema: tool.inputSchema ?? {},
    ...(tool.annotations ? { annotations: tool.annotations } : {}),
    ...(tool.title ? { title: tool.title } : {}),
    ...(tool.outputSchema ? { outputSchema: tool.outputSchema } : {}),
  };
}
