import type { z } from 'zod';
import type { toolIndexRoutes } from '../../http/contract/tool-index.ts';
import type { toolResource } from '../../http/contract/tools.ts';
import type { analyticsRoutes } from '../../http/contract/analytics.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, text, UsageError } from '../command.ts';
import { counted } from '../../lib/text/amounts.ts';
import { showDone, showList, showWhole } from '../show.ts';

type ToolView = z.output<typeof toolResource>;
type Suggestions = z.output<typeof analyticsRoutes.suggestions.reply>;
type Index = z.output<typeof toolIndexRoutes.list.reply>;

/** Lists, shows, enables, disables and deletes tools, and shortens their replies. */
export const tools: Command = {
  summary: 'list, show, enable, disable or delete tools, and shorten their replies',
  usage:
    '[show|enable|disable|delete TOOL] [--server SLUG] [--api SLUG] [--search TEXT] | update TOOL [--reply-select EXPRESSION] [--reply-max-tokens N] | suggest [TOOL --apply]',
  options: {
    server: { type: 'string', value: 'SLUG', about: 'Only tools of this server.' },
    api: { type: 'string', value: 'SLUG', about: 'Only tools of this API.' },
    search: { type: 'string', about: 'Only tools whose name, description or path contains this.' },
    'reply-select': {
      type: 'string',
      value: 'EXPRESSION|none',
      about: 'With update: JMESPath expression for the part of each reply to keep.',
    },
    'reply-max-tokens': {
      type: 'string',
      value: 'N|default',
      about: 'With update: maximum tokens that a model reads of one reply: 0 for no limit, or at least 500.',
    },
    apply: { type: 'boolean', about: 'With suggest: apply the suggestion for this tool.' },
  },
  needsStore: true,
  examples: [
    'handrail tools',
    'handrail tools --server my-weather-tools',
    'handrail tools show weather_get',
    'handrail tools disable demo/demo_slow',
    'handrail tools suggest',
    'handrail tools suggest list_orders --apply',
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
          const found = await listAll<ToolView>(client, `/tools${queryText(query)}`);
          query.delete('search');
          const index = await client.request<Index>('GET', `/tool-index${queryText(query)}`);
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
        case 'suggest':
          return suggest(input, client, reference);
        case 'update': {
          if (reference === undefined) throw new UsageError('the tool is missing');
          const { reply } = await client.request<ToolView>('GET', path);
          const changed = { ...reply, ...readReply(input) };
          return showDone(
            input,
            `${reference}: updated`,
            await client.request('PATCH', path, { reply: changed }),
          );
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

/** The new reply settings of a tool; undefined removes one. */
function readReply(input: CommandInput): object {
  const select = text(input, 'reply-select');
  const maxTokens = text(input, 'reply-max-tokens');
  if (select === undefined && maxTokens === undefined)
    throw new UsageError('nothing to update: give --reply-select or --reply-max-tokens');
  return {
    ...(select !== undefined && { select: select === 'none' ? undefined : select }),
    ...(maxTokens !== undefined && { maxTokens: maxTokens === 'default' ? undefined : Number(maxTokens) }),
  };
}

/** Lists suggestions for shorter replies, or applies one. */
async function suggest(
  input: CommandInput,
  client: AdminClient,
  reference: string | undefined,
): Promise<number> {
  const { items } = await client.request<Suggestions>('GET', '/reply-suggestions');
  const shown = reference === undefined ? items : items.filter((each) => isOf(each, reference));
  if (input.options['apply'] !== true)
    return showList(input, shown, {
      empty: 'No suggestions: replies are short, already shaped, or were not recorded.',
      heading: ['TOOL', 'TOKENS PER REPLY', 'SAVED', 'KEEP'],
      row: ({ toolName, replyTokens, saved, select }) => [
        toolName,
        replyTokens.toLocaleString('en'),
        `${Math.floor(saved * 100)}%`,
        select,
      ],
    });
  if (reference === undefined) throw new UsageError('--apply needs the name of the tool');
  const [suggestion] = shown;
  if (suggestion === undefined) throw new UsageError(`there is no suggestion for the tool "${reference}"`);
  const path = `/tools/${encodeURIComponent(suggestion.tool)}`;
  const { reply } = await client.request<ToolView>('GET', path);
  const tool = await client.request('PATCH', path, { reply: { ...reply, select: suggestion.select } });
  return showDone(
    input,
    `${suggestion.toolName}: replies now contain only ${suggestion.fields.join(', ')}, which saves ${Math.floor(suggestion.saved * 100)}%`,
    tool,
  );
}

function isOf({ tool, toolName, api }: Suggestions['items'][number], reference: string): boolean {
  return reference === tool || reference === toolName || reference === `${api}/${toolName}`;
}

function queryText(query: URLSearchParams): string {
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
