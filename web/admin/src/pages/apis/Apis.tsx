import { Badge, Button } from '@mantine/core';
import { Boxes, Plus } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useAll } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { RequireRole, useHasRole } from '../../app/account/permissions.tsx';
import { ListPage } from '../../components/tables/ListPage.tsx';
import { TwoLines } from '../../components/tables/TwoLines.tsx';
import { useUsage, useUsageColumns } from '../../components/tables/use-usage-columns.tsx';
import { PageTable, twoLineHeight, type Column } from '../../components/tables/VirtualTable.tsx';
import { RowSwitch } from '../../components/inputs/RowCheckbox.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { ExportMenu } from './ExportMenu.tsx';

const wordsOf = (api: Api) => `${api.name} ${api.slug} ${api.baseUrl}`;

/** All registered APIs. */
export default function Apis() {
  const t = useText();
  const apis = useAll('/apis', {});
  return (
    <ListPage
      title={t('nav.apis')}
      lead={t('apis.lead')}
      edits="editor"
      query={apis}
      empty={{ icon: Boxes, title: t('apis.empty'), text: t('apis.emptyText') }}
      searchLabel={t('apis.search')}
      wordsOf={wordsOf}
      add={
        <>
          {apis.data?.some((api) => !api.builtIn) && <ExportMenu />}
          <RequireRole>
            <Button component={Link} href="/add" leftSection={<Plus size={16} aria-hidden />}>
              {t('nav.add')}
            </Button>
          </RequireRole>
        </>
      }
    >
      {(found) => <Table apis={found} />}
    </ListPage>
  );
}

function Table({ apis }: { apis: readonly Api[] }) {
  const t = useText();
  const format = useFormats();
  const [, go] = useLocation();
  const used = useUsage('api');
  const usage = useUsageColumns<Api>(used, { nameOf: ({ slug }) => slug, labelOf: ({ name }) => name });
  const columns: Column<Api>[] = [
    {
      id: 'name',
      name: t('common.name'),
      width: 'minmax(150px, 1fr)',
      sortBy: (api) => api.name.toLowerCase(),
      cell: (api) => (
        <TwoLines
          first={
            <>
              <Link href={`/apis/${api.slug}`}>{api.name}</Link>{' '}
              {api.builtIn && <Badge color="gray">{t('apis.builtIn')}</Badge>}
              {needsCredential(api) && <Badge color="orange">{t('apis.needsCredential')}</Badge>}
            </>
          }
          second={`${api.slug} · ${api.baseUrl}`}
        />
      ),
    },
    {
      id: 'tools',
      name: t('nav.tools'),
      width: '60px',
      align: 'end',
      wideOnly: true,
      sortBy: (api) => api.toolCount,
      cell: (api) => format.number(api.toolCount),
    },
    ...usage,
    { id: 'enabled', name: t('common.on'), width: '42px', cell: (api) => <ApiSwitch api={api} /> },
  ];
  return (
    <PageTable
      label={t('nav.apis')}
      rows={apis}
      columns={columns}
      keyOf={(api) => api.id}
      sortedWith={used}
      rowHeight={twoLineHeight}
      onOpen={(api) => go(`/apis/${api.slug}`)}
    />
  );
}

const needsCredential = ({ auth, hasCredential }: Api) => auth.kind !== 'none' && !hasCredential;

function ApiSwitch({ api }: { api: Api }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const toggle = useToggle('/apis/:api', '/apis', api, { api: api.id });
  return (
    <RowSwitch
      label={t('common.enabledOf', { name: api.name })}
      checked={api.enabled}
      onChange={toggle}
      disabled={!mayEdit}
    />
  );
}
