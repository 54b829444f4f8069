import type { z } from 'zod';
import type { apiResource } from '../../http/contract/apis.ts';
import type { importRoutes } from '../../http/contract/imports.ts';
import { counted } from '../../lib/text/amounts.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, UsageError } from '../command.ts';
import { showDone, showList } from '../show.ts';

type ApiView = z.output<typeof apiResource>;
type WaitingTool = z.output<(typeof importRoutes.waiting)['reply']>['items'][number] & {
  readonly api: string;
};
type RemovedTool = z.output<(typeof importRoutes.removed)['reply']>['items'][number];

const words: Readonly<Record<WaitingTool['waiting'], string>> = {
  new: 'new tool',
  returned: 'returned with its old settings',
  leaving: 'removed from the document',
  changed: 'changed',
};

/** Lists pending import changes, and approves or declines them. */
export const approvals: Command = {
  summary: 'list, approve or decline import changes that wait for approval',
  usage: '[API] | approve|decline API [TOOL …] | removed API | forget API [TOOL …]',
  needsStore: true,
  examples: [
    'handrail approvals',
    'handrail approvals approve shop',
    'handrail approvals decline shop delete_order',
    'handrail approvals removed shop',
  ],
  run(input) {
    const [action, api, ...tools] = input.words;
    return withAdminClient(input, async (client) => {
      switch (action) {
        case 'approve':
        case 'decline':
          await client.request('POST', `${pathOf(api)}/waiting`, {
            approve: action === 'approve',
            ...(tools.length > 0 && { tools }),
          });
          return showDone(input, `${api}: ${tools.length > 0 ? tools.join(', ') : 'everything'} ${action}d`);
        case 'removed':
          return showRemoved(input, await client.request('GET', `${pathOf(api)}/removed`));
        case 'forget':
          await client.request(
            'DELETE',
            `${pathOf(api)}/removed${tools.length > 0 ? `?tools=${encodeURIComponent(tools.join(','))}` : ''}`,
          );
          return showDone(input, `${api}: ${tools.length > 0 ? tools.join(', ') : 'all'} forgotten`);
        default:
          if (api !== undefined) throw new UsageError(`unknown action "${action}"`);
          return showList(input, await waitingOf(client, action), {
            empty: 'Nothing is waiting for approval.',
            heading: ['API', 'TOOL', 'REQUEST', 'KIND', 'CHANGE'],
            row: (one) => [
              one.api,
              one.enabled ? one.tool : `${one.tool} (off)`,
              one.operation,
              one.kind,
              words[one.waiting],
            ],
          });
      }
    });
  },
};

function pathOf(api: string | undefined): string {
  if (api === undefined) throw new UsageError('the API is missing');
  return `/apis/${encodeURIComponent(api)}`;
}

async function waitingOf(client: AdminClient, api: string | undefined): Promise<WaitingTool[]> {
  const slugs =
    api === undefined
      ? (await listAll<ApiView>(client, '/apis')).flatMap(({ slug, pendingCount }) =>
          pendingCount > 0 ? [slug] : [],
        )
      : [api];
  const found: WaitingTool[] = [];
  for (const slug of slugs) {
    const { items } = await client.request<{ items: Omit<WaitingTool, 'api'>[] }>(
      'GET',
      `${pathOf(slug)}/waiting`,
    );
    found.push(...items.map((item) => ({ ...item, api: slug })));
  }
  return found;
}

function showRemoved(input: CommandInput, { items }: { readonly items: readonly RemovedTool[] }): number {
  return showList(input, items, {
    empty: 'No removed tools are remembered.',
    heading: ['TOOL', 'REQUEST', 'REMOVED', 'RETURNS'],
    row: ({ tool, operation, removedAt, enabled, edited, servers }) => [
      tool,
      operation,
      removedAt.slice(0, 10),
      [
        enabled ? 'on' : 'off',
        ...(edited ? ['with your edits'] : []),
        ...(servers.length > 0 ? [`in ${counted(servers.length, 'server')}`] : []),
      ].join(', '),
    ],
  });
}
