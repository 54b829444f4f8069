import type { ListedTool, ServerView } from '../../registry/snapshot.ts';

/** Tools as their operator describes them: that an API is away for a while must not change how a server is used. */
export function* asTold({ server, tools }: ServerView): Iterable<ListedTool> {
  for (const { name, compiled } of tools) {
    const { tool } = compiled;
    yield { name, compiled, description: server.overrides[tool.id]?.description ?? tool.description };
  }
}
