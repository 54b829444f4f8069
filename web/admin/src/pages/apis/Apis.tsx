import { Badge, Button, Switch } from '@mantine/core';
import { Boxes, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAll } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { Only, useMay } from '../../app/may.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/RowList.tsx';
import { SearchBox } from '../../components/SearchBox.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useText } from '../../i18n/text.tsx';

/** Every registered API. */
export default function Apis() {
  const t = useText();
  const [search, setSearch] = useState('');
  const apis = useAll('/apis', {});
  const add = (
    <Only>
      <Button component={Link} href="/add" leftSection={<Plus size={16} aria-hidden />}>
        {t('nav.add')}
      </Button>
    </Only>
  );
  return (
    <Page title={t('nav.apis')} lead={t('apis.lead')} edits="editor" actions={add}>
      <Panel flush>
        <Loaded query={apis}>
          {(all) => {
            if (all.length === 0)
              return (
                <EmptyState icon={Boxes} title={t('apis.empty')} text={t('apis.emptyText')} action={add} />
              );
            const wanted = search.toLowerCase();
            const shown = all.filter((api) =>
              `${api.name} ${api.slug} ${api.baseUrl}`.toLowerCase().includes(wanted),
            );
            return (
              <>
                <div className={layout.bar}>
                  <SearchBox label={t('apis.search')} value={search} onChange={setSearch} />
                </div>
                <RowList>
                  {shown.map((api) => (
                    <ApiRow key={api.id} api={api} />
                  ))}
                </RowList>
                {shown.length === 0 && <EmptyState icon={Boxes} title={t('common.nothingFound')} />}
              </>
            );
          }}
        </Loaded>
      </Panel>
    </Page>
  );
}

function ApiRow({ api }: { api: Api }) {
  const t = useText();
  const mayEdit = useMay('editor');
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
          <Badge color="gray" variant="outline">
            {t('tools.count', { count: api.toolCount })}
          </Badge>
          <Switch
            aria-label={t('common.enabledOf', { name: api.name })}
            checked={api.enabled}
            onChange={toggle}
            disabled={!mayEdit}
          />
        </>
      }
    />
  );
}
