import type { z } from 'zod';
import type { searchRoutes } from '../../http/contract/search.ts';
import type { serverResource } from '../../http/contract/servers.ts';
import { listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, text, texts, UsageError } from '../command.ts';
import { fieldsSet, runNounAction, setOption } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type ServerView = z.output<typeof serverResource>;
type Costs = z.output<typeof searchRoutes.costs.reply>;
type PricedServer = ServerView & { readonly cost?: Costs['items'][number] | undefined };

/** Publishes and manages servers. */
export const servers: Command = {
  summary: 'list, publish, edit or delete servers',
  usage:
    '[list] | show|update|enable|disable|delete SERVER | create SLUG [--tool TOOL]… [--api API]… [--tag TAG]… [--set FIELD=VALUE]…',
  options: {
    name: { type: 'string', about: 'Display name.' },
    instructions: { type: 'string', about: 'Instructions for models that use this server.' },
    policy: {
      type: 'string',
      value: 'open|key|sign-in',
      about: 'Who may use it; with sign-in, people connect their apps by URL.',
    },
    tool: { type: 'string', multiple: true, value: 'TOOL', about: 'A tool it publishes.' },
    api: { type: 'string', multiple: true, value: 'SLUG', about: 'An API whose tools it all publishes.' },
    tag: { type: 'string', multiple: true, value: 'TAG', about: 'A tag whose tools it all publishes.' },
    mode: {
      type: 'string',
      value: 'auto|direct|search|code',
      about:
        'How clients see its tools: listed (direct), found by search, called from scripts (code), or chosen by size (auto).',
    },
    'client-modes': {
      type: 'string',
      value: 'MODES',
      about: 'The modes that clients may choose with ?mode=: any, none, or a comma-separated list.',
    },
    'output-schemas': {
      type: 'string',
      value: 'show|hide',
      about: 'Whether the tool list includes output schemas, which are more than half of its token cost.',
    },
    'allow-address': {
      type: 'string',
      multiple: true,
      value: 'NETWORK',
      about: 'An address or network that may use it, such as 10.0.0.0/8; "any" removes the restriction.',
    },
    access: {
      type: 'string',
      multiple: true,
      value: 'GROUP[=KINDS]',
      about:
        'A group that may use it, with only these kinds of tools if given (read,write,destructive); replaces the earlier rules. "everyone" removes them, "no-one" admits no person.',
    },
    'reply-max-tokens': {
      type: 'string',
      value: 'N|default',
      about: 'Maximum tokens that a model reads of one reply: 0 for no limit, or at least 500.',
    },
    'select-argument': {
      type: 'string',
      value: 'on|off',
      about: 'Whether every tool accepts _select, a JMESPath expression for the fields to return.',
    },
    rate: { type: 'string', value: 'N', about: 'Calls per minute for each caller; 0 for no limit.' },
    ...setOption,
  },
  examples: [
    'handrail servers',
    'handrail servers create support --api zendesk --tool weather_get',
    'handrail servers update default --policy key',
    'handrail servers update default --mode search',
    'handrail servers update team --access finance --access support=read',
    'handrail servers update default --reply-max-tokens 4000',
  ],
  run: (input) =>
    withAdminClient(input, (client) => {
      const saved = (server: ServerView, done: string) => `${server.slug}: ${done} at ${server.url}`;
      const turn = (enabled: boolean) => async (reference: string) => {
        const server = await client.request<ServerView>(
          'PATCH',
          `/servers/${encodeURIComponent(reference)}`,
          {
            enabled,
          },
        );
        return showDone(input, saved(server, enabled ? 'enabled' : 'disabled'), server);
      };
      return runNounAction<PricedServer>(input, client, {
        noun: 'the server',
        path: '/servers',
        shape: {
          empty: 'There are no servers.',
          heading: ['SERVER', 'NAME', 'ACCESS', 'TOOLS', 'MODE', 'TOKENS', 'URL'],
          row: rowOf,
        },
        async list() {
          const found = await listAll<ServerView>(client, '/servers');
          const { items } = await client.request<Costs>('GET', '/server-costs');
          const costs = new Map(items.map((cost) => [cost.server, cost]));
          return found.map((server) => ({ ...server, cost: costs.get(server.slug) }));
        },
        changes: readOptions,
        saved: (server) => saved(server, 'updated'),
        own: {
          async create(slug) {
            const fields = { slug, tools: [], ...readOptions(input), ...fieldsSet(input) };
            const server = await client.request<ServerView>('POST', '/servers', fields);
            return showDone(input, saved(server, 'published'), server);
          },
          enable: turn(true),
          disable: turn(false),
        },
      });
    }),
};

function readOptions(input: CommandInput): object {
  const [name, instructions, policy, mode, rate] = ['name', 'instructions', 'policy', 'mode', 'rate'].map(
    (option) => text(input, option),
  );
  const tools = [
    ...texts(input, 'api').map((api) => ({ api })),
    ...texts(input, 'tag').map((tag) => ({ tag })),
    ...texts(input, 'tool').map((tool) => ({ tool })),
  ];
  return {
    ...(name !== undefined && { name }),
    ...(instructions !== undefined && { instructions }),
    ...(policy !== undefined && { policy }),
    ...(mode !== undefined && { mode }),
    ...readClientModes(text(input, 'client-modes')),
    ...readOutputSchemas(text(input, 'output-schemas')),
    ...readAddresses(texts(input, 'allow-address')),
    ...readAccess(texts(input, 'access')),
    ...readReplyTokens(text(input, 'reply-max-tokens')),
    ...readSelectArgument(text(input, 'select-argument')),
    ...(rate !== undefined && { ratePerMinute: Number(rate) }),
    ...(tools.length > 0 && { tools }),
  };
}

function readReplyTokens(given: string | undefined): object {
  if (given === undefined) return {};
  return { replyMaxTokens: given === 'default' ? null : Number(given) };
}

function readSelectArgument(given: string | undefined): object {
  if (given === undefined) return {};
  if (given !== 'on' && given !== 'off') throw new UsageError('--select-argument must be on or off');
  return { selectArgument: given === 'on' };
}

function readAddresses(given: readonly string[]): object {
  if (given.length === 0) return {};
  return { allowAddresses: given.includes('any') ? null : given };
}

function readAccess(given: readonly string[]): object {
  if (given.length === 0) return {};
  if (given.includes('everyone')) return { access: null };
  if (given.includes('no-one')) return { access: [] };
  return {
    access: given.map((word) => {
      const [group = '', kinds] = word.split('=', 2);
      return { group, ...(kinds !== undefined && { kinds: kinds.split(',') }) };
    }),
  };
}

function readClientModes(given: string | undefined): object {
  if (given === undefined) return {};
  if (given === 'any') return { clientModes: null };
  return { clientModes: given === 'none' ? [] : given.split(',').map((mode) => mode.trim()) };
}

function readOutputSchemas(given: string | undefined): object {
  if (given === undefined) return {};
  if (given !== 'show' && given !== 'hide') throw new UsageError('--output-schemas must be show or hide');
  return { listOutputSchemas: given === 'show' };
}

function rowOf({ cost, ...server }: PricedServer): string[] {
  const tokens = cost?.[cost.servedAs];
  return [
    server.enabled ? server.slug : `${server.slug} (off)`,
    server.name,
    server.policy.kind,
    String(server.toolCount),
    server.mode === 'auto' && cost ? `${cost.servedAs} (auto)` : server.mode,
    tokens === undefined ? '–' : tokens.toLocaleString('en'),
    server.url,
  ];
}
