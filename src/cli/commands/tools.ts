import type { z } from 'zod';
import type { toolIndexRoutes } from '../../http/contract/tool-index.ts';
import type { toolResource } from '../../http/contract/tools.ts';
import { listAll, withAdminClient } from '../admin-client.ts';
import { type Command, text, UsageError } from '../command.ts';
import { counted } from '../../lib/text/counted.ts';
import { showDone, showList, showWhole } from '../show.ts';

type ToolView = z.output<typeof toolResource>;
type Index = z.output<typeof toolIndexRoutes.list.reply>;

/** Lists tools, shows one, or switches it on and off. */
export const tools: Command = {
  summary: 'list tools, show one, enable, disable or delete it',
  usage: '[show|enable|disable|delete TOOL] [--server SLUG] [--api SLUG] [--search TEXT]',
  options: {
    server: { type: 'string', value: 'SLUG', about: 'Only tools of this server.' },
    api: { type: 'string', value: 'SLUG', about: 'Only tools of this API.' },
    search: { type: 'string', about: 'Only tools whose name, description or path contains this.' },
  },
  examples: [
    'handrail tools',
    'handrail tools --server my-weather-tools',
    'handrail tools show weather_get',
    'handrail tools disable demo/demo_slow',
  ],
  run(input) {
    const [action, reference] = input.words;
    return withAdminClient(input, async (client) => {
      const path = `/tools/${encodeURIComponent(reference ?? '')}`;
      switch (action) {
        case undefined: {
          const query = new URLSearchParams();
          for (const name of ['server', 'api', 'search']) {
            const value = text(input, name);
            if (value !== undefined) query.set(name, value);
          }
          const found = await listAll<ToolView>(client, `/tools${asked(query)}`);
          query.delete('search');
          const index = await client.request<Index>('GET', `/tool-index${asked(query)}`);
          const tokens = new Map(index.items.map(({ id, estimatedTokens }) => [id, estimatedTokens]));
          const priced = found.map((tool) => ({ ...tool, tokens: tokens.get(tool.id) }));
          const shown = showList(input, priced, {
            empty: 'There are no tools yet. "handrail import FILE" or "handrail apis create" adds some.',
            heading: ['TOOL', 'API', 'TOKENS', 'REQUEST', 'DESCRIPTION'],
            row: rowOf,
          });
          const sum = priced.reduce((all, tool) => all + (tool.tokens ?? 0), 0);
          if (!input.json && priced.length > 0)
            input.print(
              `${counted(priced.length, 'tool')}, ${sum.toLocaleString('en')} tokens when all are listed`,
            );
          return shown;
        }
        case 'show':
        case 'enable':
        case 'disable':
        case 'delete': {
          if (reference === undefined) throw new UsageError('the tool is missing');
          if (action === 'show') return showWhole(input, await client.request('GET', path));
          const tool =
            action === 'delete'
              ? await client.request('DELETE', path)
              : await client.request('PATCH', path, { enabled: action === 'enable' });
          return showDone(input, `${reference}: ${action}d`, tool ?? {});
        }
        default:
          throw new UsageError(`unknown action "${action}"`);
      }
    });
  },
};

function asked(query: URLSearchParams): string {
  return query.size > 0 ? `?${query.toString()}` : '';
}

function rowOf(tool: ToolView & { readonly tokens: number | undefined }): string[] {
  return [
    tool.enabled ? tool.name : `${tool.name} (off)`,
    tool.api,
    tool.tokens?.toLocaleString('en') ?? '–',
    `${tool.operation.method} ${tool.operation.path}`,
    tool.description,
  ];
}
