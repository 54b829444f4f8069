import { Badge, Button } from '@mantine/core';
import { Plus, Server as ServerIcon } from 'lucide-react';
import { Link } from 'wouter';
import { useAll, useGet } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { RequireRole, useHasRole } from '../../app/account/permissions.tsx';
import { ListPage } from '../../components/tables/ListPage.tsx';
import { Row } from '../../components/tables/RowList.tsx';
import { RowSwitch } from '../../components/inputs/RowCheckbox.tsx';
import { type Usage, UsageView } from '../../components/display/UsageView.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

type Cost = ReplyOf<RouteAt<'GET', '/server-costs'>>['items'][number];

const wordsOf = (server: Server) => `${server.name} ${server.slug} ${server.description ?? ''}`;

const usageOf = { by: 'server', nameOf: (server: Server) => server.slug } as const;

/** The MCP servers this gateway publishes. */
export default function Servers() {
  const t = useText();
  const servers = useAll('/servers', {});
  const costs = useGet('/server-costs', {});
  return (
    <ListPage
      title={t('nav.servers')}
      lead={t('servers.lead')}
      edits="editor"
      query={servers}
      empty={{ icon: ServerIcon, title: t('servers.empty'), text: t('servers.lead') }}
      searchLabel={t('servers.search')}
      wordsOf={wordsOf}
      add={
        <RequireRole>
          <Button component={Link} href="/publish" leftSection={<Plus size={16} aria-hidden />}>
            {t('servers.add')}
          </Button>
        </RequireRole>
      }
      usage={usageOf}
      row={(server, usage) => (
        <ServerRow
          usage={usage}
          key={server.id}
          server={server}
          cost={costs.data?.items.find((cost) => cost.server === server.slug)}
        />
      )}
    />
  );
}

function ServerRow({
  server,
  cost,
  usage,
}: {
  server: Server;
  cost: Cost | undefined;
  usage: Usage | null | undefined;
}) {
  const t = useText();
  const format = useFormats();
  const tokens = (count: number) => t('common.tokens', { count: format.compact(count) });
  const mayEdit = useHasRole('editor');
  const toggle = useToggle('/servers/:server', '/servers', server, { server: server.id });
  return (
    <Row
      name={server.name}
      href={`/servers/${server.slug}`}
      badge={
        <Badge color={server.policy.kind === 'open' ? 'orange' : 'brand'}>
          {t(`policy.${server.policy.kind}`)}
        </Badge>
      }
      note={server.url}
      side={
        <>
          <UsageView usage={usage} name={server.name} />
          {cost && (
            <Badge
              color={cost.servedAs === 'direct' ? 'gray' : 'brand'}
              variant="light"
              title={t('cost.eachMode', { direct: tokens(cost.direct), search: tokens(cost.search) })}
            >
              {t(`mode.${cost.servedAs}`)} · {tokens(cost[cost.servedAs])}
            </Badge>
          )}
          <Badge color="gray" variant="outline">
            {t('tools.count', { count: server.toolCount })}
          </Badge>
          <RowSwitch
            label={t('common.enabledOf', { name: server.name })}
            checked={server.enabled}
            onChange={toggle}
            disabled={!mayEdit}
          />
        </>
      }
    />
  );
}
