import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { request } from '../api/client.ts';
import { useGet } from '../api/queries.ts';
import type { ScriptTools } from './value-shapes.ts';

const freshMs = 60_000;

/** The tools that scripts on a server can call. Each tool's types are fetched when needed. */
export function useScriptTools(server: string) {
  const queries = useQueryClient();
  const params = { server };
  const list = useGet('/servers/:server/script-tools', { params });
  const paths = list.data?.paths;
  const tools = useMemo<ScriptTools | undefined>(() => {
    if (paths === undefined) return undefined;
    const known = new Set(paths);
    return {
      paths,
      async describe(path) {
        if (!known.has(path)) return undefined;
        const { declaration, inputSchema, replySchema } = await queries.fetchQuery({
          queryKey: ['/servers/:server/declaration', server, path],
          queryFn: ({ signal }) =>
            request('GET', '/servers/:server/declaration', {
              params: { server },
              query: { tool: path },
              signal,
            }),
          staleTime: freshMs,
        });
        return {
          declaration,
          input: { schema: inputSchema, root: inputSchema },
          reply: replySchema && { schema: replySchema, root: replySchema },
        };
      },
    };
  }, [paths, queries, server]);
  return { tools, query: list };
}
