import type { z } from 'zod';
import type { searchRoutes } from '../../http/contract/search.ts';
import type { serverResource } from '../../http/contract/servers.ts';
import { listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from '../command.ts';
import { readPiiRules } from './pii.ts';
import { showDone, showList, showWhole } from '../show.ts';

type ServerView = z.output<typeof serverResource>;
type Costs = z.output<typeof searchRoutes.costs.reply>;

/** Publishes and manages servers. */
export const servers: Command = {
  summary: 'list, publish, edit or delete servers',
  usage: '[show|update|enable|disable|delete SERVER] | create SLUG [--tool TOOL]… [--api API]… [--tag TAG]…',
  options: {
    name: { type: 'string', about: 'Display name.' },
    instructions: { type: 'string', about: 'Instructions for models that use this server.' },
    policy: { type: 'string', value: 'open|key', about: 'Who may use it.' },
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
    'pii-rules': {
      type: 'string',
      value: 'JSON|none',
      about: 'What counts as personal data, such as [{"find":"card","actions":["mask-replies"]}].',
    },
    rate: { type: 'string', value: 'N', about: 'Calls per minute for each caller; 0 for no limit.' },
  },
  examples: [
    'handrail servers',
    'handrail servers create support --api zendesk --tool weather_get',
    'handrail servers update default --policy key',
    'handrail servers update default --mode search',
    'handrail servers update default --reply-max-tokens 4000',
  ],
  run(input) {
    const [action, reference] = input.words;
    return withAdminClient(input, async (client) => {
      if (action === undefined) {
        const found = await listAll<ServerView>(client, '/servers');
        const { items } = await client.request<Costs>('GET', '/server-costs');
        const costs = new Map(items.map((cost) => [cost.server, cost]));
        const priced = found.map((server) => ({ ...server, cost: costs.get(server.slug) }));
        return showList(input, priced, {
          empty: 'There are no servers.',
          heading: ['SERVER', 'NAME', 'ACCESS', 'TOOLS', 'MODE', 'TOKENS', 'URL'],
          row: rowOf,
        });
      }
      if (reference === undefined) throw new UsageError('the server is missing');
      const path = `/servers/${encodeURIComponent(reference)}`;
      const shown = (server: ServerView, done: string) =>
        input.print(input.json ? JSON.stringify(server) : `${server.slug}: ${done} at ${server.url}`);
      switch (action) {
        case 'create':
          shown(
            await client.request('POST', '/servers', { slug: reference, tools: [], ...readOptions(input) }),
            'published',
          );
          return exitCode.ok;
        case 'update':
          shown(await client.request('PATCH', path, readOptions(input)), 'updated');
          return exitCode.ok;
        case 'show':
          return showWhole(input, await client.request('GET', path));
        case 'enable':
        case 'disable':
          shown(await client.request('PATCH', path, { enabled: action === 'enable' }), `${action}d`);
          return exitCode.ok;
        case 'delete':
          await client.request('DELETE', path);
          return showDone(input, `${reference}: deleted`);
        default:
          throw new UsageError(`unknown action "${action}"`);
      }
    });
  },
};

function readOptions(input: CommandInput): object {
  const [name, instructions, policy, mode, rate] = ['name', 'instructions', 'policy', 'mode', 'rate'].map(
    (option) => text(input, option),
  );
  const piiRules = readPiiRules(text(input, 'pii-rules'), 'pii-rules');
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
    ...readReplyTokens(text(input, 'reply-max-tokens')),
    ...readSelectArgument(text(input, 'select-argument')),
    ...(piiRules !== undefined && { piiRules }),
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

function rowOf({ cost, ...server }: ServerView & { cost: Costs['items'][number] | undefined }): string[] {
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
