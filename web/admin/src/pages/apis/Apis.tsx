import { Badge, Button } from '@mantine/core';
import { Boxes, Plus } from 'lucide-react';
import { Link } from 'wouter';
import { useAll } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { RequireRole, useHasRole } from '../../app/account/permissions.tsx';
import { ListPage } from '../../components/tables/ListPage.tsx';
import { Row } from '../../components/tables/RowList.tsx';
import { RowSwitch } from '../../components/inputs/RowCheckbox.tsx';
import { type Usage, UsageView } from '../../components/display/UsageView.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useText } from '../../i18n/text.tsx';
import { ExportMenu } from './ExportMenu.tsx';

const wordsOf = (api: Api) => `${api.name} ${api.slug} ${api.baseUrl}`;

const usageOf = { by: 'api', nameOf: (api: Api) => api.slug } as const;

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
      usage={usageOf}
      row={(api, usage) => <ApiRow key={api.id} api={api} usage={usage} />}
    />
  );
}

function ApiRow({ api, usage }: { api: Api; usage: Usage | null | undefined }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const toggle = useToggle('/apis/:api', '/apis', api, { api: api.id });
  return (
    <Row
      name={api.name}
      href={`/apis/${api.slug}`}
      badge={
        <>
          {api.builtIn && <Badge color="gray">{t('apis.builtIn')}</Badge>}
          {api.auth.kind !== 'none' && !api.hasCredential && (
            <Badge color="orange">{t('apis.needsCredential')}</Badge>
          )}
        </>
      }
      note={`${api.slug} · ${api.baseUrl}`}
      side={
        <>
          <UsageView usage={usage} name={api.name} />
          <Badge color="gray" variant="outline">
            {t('tools.count', { count: api.toolCount })}
          </Badge>
          <RowSwitch
            label={t('common.enabledOf', { name: api.name })}
            checked={api.enabled}
            onChange={toggle}
            disabled={!mayEdit}
          />
        </>
      }
    />
  );
}
