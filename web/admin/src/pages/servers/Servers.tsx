import { Badge, Button } from '@mantine/core';
import { Plus, Server as ServerIcon } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useAll, useGet } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { RequireRole, useHasRole } from '../../app/account/permissions.tsx';
import { ListPage } from '../../components/tables/ListPage.tsx';
import { TwoLines } from '../../components/tables/TwoLines.tsx';
import { useUsage, useUsageColumns } from '../../components/tables/use-usage-columns.tsx';
import { PageTable, twoLineHeight, type Column } from '../../components/tables/VirtualTable.tsx';
import { RowSwitch } from '../../components/inputs/RowCheckbox.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

const wordsOf = (server: Server) => `${server.name} ${server.slug} ${server.description ?? ''}`;

/** The MCP servers this gateway publishes. */
export default function Servers() {
  const t = useText();
  const servers = useAll('/servers', {});
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
    >
      {(found) => <ServerTable servers={found} />}
    </ListPage>
  );
}

function ServerTable({ servers }: { servers: readonly Server[] }) {
  const t = useText();
  const format = useFormats();
  const [, go] = useLocation();
  const costs = useGet('/server-costs', {});
  const costOf = ({ slug }: Server) => costs.data?.items.find(({ server }) => server === slug);
  const tokens = (count: number) => t('common.tokens', { count: format.compact(count) });
  const used = useUsage('server');
  const usage = useUsageColumns<Server>(used, { nameOf: ({ slug }) => slug, labelOf: ({ name }) => name });
  const columns: Column<Server>[] = [
    {
      id: 'name',
      name: t('common.name'),
      width: 'minmax(150px, 1fr)',
      sortBy: (server) => server.name.toLowerCase(),
      cell: (server) => (
        <TwoLines
          first={
            <>
              <Link href={`/servers/${server.slug}`}>{server.name}</Link>{' '}
              <Badge color={server.policy.kind === 'open' ? 'orange' : 'gray'}>
                {t(`policy.${server.policy.kind}`)}
              </Badge>
            </>
          }
          second={server.description ?? server.url}
        />
      ),
    },
    {
      id: 'mode',
      name: t('servers.listed'),
      width: '96px',
      wideOnly: true,
      sortBy: (server) => {
        const cost = costOf(server);
        return cost === undefined ? -1 : cost[cost.servedAs];
      },
      cell: (server) => {
        const cost = costOf(server);
        return (
          cost && (
            <span title={t('cost.eachMode', { direct: tokens(cost.direct), search: tokens(cost.search) })}>
              <TwoLines first={t(`mode.${cost.servedAs}`)} second={tokens(cost[cost.servedAs])} />
            </span>
          )
        );
      },
    },
    {
      id: 'tools',
      name: t('nav.tools'),
      width: '60px',
      align: 'end',
      wideOnly: true,
      sortBy: (server) => server.toolCount,
      cell: (server) => format.number(server.toolCount),
    },
    ...usage,
    {
      id: 'enabled',
      name: t('common.on'),
      width: '42px',
      cell: (server) => <ServerSwitch server={server} />,
    },
  ];
  return (
    <PageTable
      label={t('nav.servers')}
      rows={servers}
      columns={columns}
      keyOf={(server) => server.id}
      sortedWith={[used, costs.data]}
      rowHeight={twoLineHeight}
      onOpen={(server) => go(`/servers/${server.slug}`)}
    />
  );
}

function ServerSwitch({ server }: { server: Server }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const toggle = useToggle('/servers/:server', '/servers', server, { server: server.id });
  return (
    <RowSwitch
      label={t('common.enabledOf', { name: server.name })}
      checked={server.enabled}
      onChange={toggle}
      disabled={!mayEdit}
    />
  );
}
