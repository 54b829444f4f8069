import { Badge, Button, Menu, Tabs } from '@mantine/core';
import { EllipsisVertical, RefreshCw, Trash2 } from 'lucide-react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { useTab } from '../../app/use-tab.ts';
import { confirm } from '../../components/confirm.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { SaveBar } from '../../editing/SaveBar.tsx';
import { useDraft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ToolTable } from '../tools/ToolTable.tsx';
import { ApiSettings } from './ApiSettings.tsx';
import { ApiSource } from './ApiSource.tsx';
import { LimitsForm } from '../../components/LimitsForm.tsx';
import { Panel } from '../../components/Panel.tsx';

/** One API: its tools, its settings, its secret, where it came from. */
export default function ApiPage({ reference }: { reference: string }) {
  const api = useGet('/apis/:api', { params: { api: reference } });
  return <Loaded query={api}>{(loaded) => <ApiEditor key={loaded.id} api={loaded} />}</Loaded>;
}

function ApiEditor({ api }: { api: Api }) {
  const t = useText();
  const [, go] = useLocation();
  const [tab, setTab] = useTab('tools');
  const update = useChange('PATCH', '/apis/:api', ['/apis', '/apis/:api', '/tools', '/tools/:tool']);
  const remove = useChange('DELETE', '/apis/:api', ['/apis', '/tools', '/servers']);
  const draft = useDraft<Api>(
    api,
    (changes, revision) => update.mutateAsync({ params: { api: api.id }, body: changes as never, revision }),
    () => request('GET', '/apis/:api', { params: { api: api.id } }),
  );
  const onDelete = async () => {
    if (
      !(await confirm({
        title: t('apis.deleteTitle', { name: api.name }),
        text: t('apis.deleteText', { count: api.toolCount }),
        action: t('common.delete'),
      }))
    )
      return;
    remove.mutate({ params: { api: api.id } }, { onSuccess: () => go('/apis'), onError: toastProblem });
  };
  return (
    <Page
      title={api.name}
      parent={{ href: '/apis', label: t('nav.apis') }}
      lead={api.baseUrl}
      badge={!api.enabled && <Badge color="gray">{t('common.disabled')}</Badge>}
      actions={
        <>
          {api.source?.url && (
            <Button
              variant="default"
              leftSection={<RefreshCw size={15} aria-hidden />}
              onClick={() => setTab('source')}
            >
              {t('apis.refresh')}
            </Button>
          )}
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" px={9} aria-label={t('common.more')}>
                <EllipsisVertical size={16} aria-hidden />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                color="red"
                leftSection={<Trash2 size={15} aria-hidden />}
                onClick={() => void onDelete()}
              >
                {t('common.delete')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="tools">{t('nav.tools')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('apis.settings')}</Tabs.Tab>
          <Tabs.Tab value="limits">{t('limits.title')}</Tabs.Tab>
          <Tabs.Tab value="source">{t('apis.source')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tools">
          <ToolTable api={api.slug} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <ApiSettings draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="limits">
          <Panel title={t('limits.title')} lead={t('limits.apiLead')}>
            <LimitsForm value={draft.value.limits} onChange={(limits) => draft.set({ limits })} />
          </Panel>
        </Tabs.Panel>
        <Tabs.Panel value="source">
          <ApiSource api={api} />
        </Tabs.Panel>
      </Tabs>
      <SaveBar draft={draft} />
    </Page>
  );
}
