import type { z } from 'zod';
import type { toolIndexRoutes } from '../../http/contract/tool-index.ts';
import type { toolResource } from '../../http/contract/tools.ts';
import type { analyticsRoutes } from '../../http/contract/analytics.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, text, UsageError } from '../command.ts';
import { counted } from '../../lib/text/amounts.ts';
import { fieldsSet, runNounAction, setOption } from '../noun-actions.ts';
import { showDone, showList } from '../show.ts';

type ToolView = z.output<typeof toolResource>;
type PricedTool = ToolView & { readonly tokens?: number | undefined };
type Suggestions = z.output<typeof analyticsRoutes.suggestions.reply>;
type Index = z.output<typeof toolIndexRoutes.list.reply>;

/** Lists, shows, enables, disables and deletes tools, and shortens their replies. */
export const tools: Command = {
  summary: 'list, show, edit, enable, disable or delete tools, and shorten their replies',
  usage:
    '[list] [--server SLUG] [--api SLUG] [--search TEXT] | show|enable|disable|delete TOOL | update TOOL [--reply-select EXPRESSION] [--reply-max-tokens N] [--set FIELD=VALUE]… | suggest [TOOL --apply]',
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
    ...setOption,
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
  run: (input) =>
    withAdminClient(input, (client) => {
      const [action, reference] = input.words;
      if (action === 'suggest') return suggest(input, client, reference);
      const turn = (enabled: boolean) => async (tool: string) => {
        const changed = await client.request('PATCH', `/tools/${encodeURIComponent(tool)}`, { enabled });
        return showDone(input, `${tool}: ${enabled ? 'enabled' : 'disabled'}`, changed);
      };
      return runNounAction<PricedTool>(input, client, {
        noun: 'the tool',
        path: '/tools',
        shape: {
          empty: 'There are no tools yet. "handrail import FILE" or "handrail apis create" adds some.',
          heading: ['TOOL', 'API', 'TOKENS', 'REQUEST', 'DESCRIPTION'],
          row: rowOf,
          foot: (found) =>
            `${counted(found.length, 'tool')}, ${found.reduce((all, tool) => all + (tool.tokens ?? 0), 0).toLocaleString('en')} tokens when all are listed`,
        },
        list: () => listPriced(input, client),
        own: {
          update: (tool) => update(input, client, tool),
          // Listed for the message about unknown actions; it needs no tool, so it is handled above.
          suggest: (tool) => suggest(input, client, tool),
          enable: turn(true),
          disable: turn(false),
        },
      });
    }),
};

/** The tools that the options ask for, each with its tokens in a list. */
async function listPriced(input: CommandInput, client: AdminClient): Promise<PricedTool[]> {
  const query = new URLSearchParams();
  for (const name of ['server', 'api', 'search']) {
    const value = text(input, name);
    if (value !== undefined) query.set(name, value);
  }
  const found = await listAll<ToolView>(client, `/tools${queryText(query)}`);
  query.delete('search');
  const index = await client.request<Index>('GET', `/tool-index${queryText(query)}`);
  const tokens = new Map(index.items.map(({ id, estimatedTokens }) => [id, estimatedTokens]));
  return found.map((tool) => ({ ...tool, tokens: tokens.get(tool.id) }));
}

async function update(input: CommandInput, client: AdminClient, reference: string): Promise<number> {
  const path = `/tools/${encodeURIComponent(reference)}`;
  const fields = fieldsSet(input);
  const shorter = readReply(input);
  if (Object.keys({ ...fields, ...shorter }).length === 0)
    throw new UsageError('nothing to change: give --reply-select, --reply-max-tokens or --set FIELD=VALUE');
  const reply =
    Object.keys(shorter).length === 0
      ? {}
      : { reply: { ...(await client.request<ToolView>('GET', path)).reply, ...shorter } };
  const changed = await client.request('PATCH', path, { ...reply, ...fields });
  return showDone(input, `${reference}: updated`, changed);
}

/** The new reply settings of a tool; undefined removes one. */
function readReply(input: CommandInput): object {
  const select = text(input, 'reply-select');
  const maxTokens = text(input, 'reply-max-tokens');
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

function rowOf(tool: PricedTool): string[] {
  return [
    tool.enabled ? tool.name : `${tool.name} (off)`,
    tool.api,
    tool.tokens?.toLocaleString('en') ?? '–',
    `${tool.operation.method} ${tool.operation.path}`,
    tool.description,
  ];
}
