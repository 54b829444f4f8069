import { Badge, Button, Menu, Tabs } from '@mantine/core';
import { EllipsisVertical, Trash2 } from 'lucide-react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { useTab } from '../../app/use-tab.ts';
import { confirm } from '../../components/confirm.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { SaveBar } from '../../editing/SaveBar.tsx';
import { useDraft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ConnectPanel } from './connect/ConnectPanel.tsx';
import { PromptsEditor } from './PromptsEditor.tsx';
import { ServerSettings } from './ServerSettings.tsx';
import { ToolChoice } from './ToolChoice.tsx';

/** One published server: how to connect, which tools, who may. */
export default function ServerPage({ reference }: { reference: string }) {
  const server = useGet('/servers/:server', { params: { server: reference } });
  return <Loaded query={server}>{(loaded) => <ServerEditor key={loaded.id} server={loaded} />}</Loaded>;
}

function ServerEditor({ server }: { server: Server }) {
  const t = useText();
  const [, go] = useLocation();
  const [tab, setTab] = useTab('connect');
  const update = useChange('PATCH', '/servers/:server', ['/servers', '/servers/:server', '/tool-index']);
  const remove = useChange('DELETE', '/servers/:server', ['/servers']);
  const draft = useDraft<Server>(
    server,
    (changes, revision) =>
      update.mutateAsync({ params: { server: server.id }, body: changes as never, revision }),
    () => request('GET', '/servers/:server', { params: { server: server.id } }),
  );
  const onDelete = async () => {
    if (
      !(await confirm({
        title: t('servers.deleteTitle', { name: server.name }),
        text: t('servers.deleteText'),
        action: t('common.delete'),
      }))
    )
      return;
    remove.mutate(
      { params: { server: server.id } },
      { onSuccess: () => go('/servers'), onError: toastProblem },
    );
  };
  return (
    <Page
      title={server.name}
      parent={{ href: '/servers', label: t('nav.servers') }}
      lead={server.description}
      badge={
        <>
          <Badge color={server.policy.kind === 'open' ? 'orange' : 'brand'}>
            {t(`policy.${server.policy.kind}`)}
          </Badge>
          {!server.enabled && <Badge color="gray">{t('common.disabled')}</Badge>}
        </>
      }
      actions={
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
      }
    >
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="connect">{t('connect.tab')}</Tabs.Tab>
          <Tabs.Tab value="tools">{t('nav.tools')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('servers.settings')}</Tabs.Tab>
          <Tabs.Tab value="prompts">{t('servers.prompts')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="connect">
          <ConnectPanel server={server} />
        </Tabs.Panel>
        <Tabs.Panel value="tools">
          <ToolChoice server={server} draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <ServerSettings draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="prompts">
          <PromptsEditor draft={draft} />
        </Tabs.Panel>
      </Tabs>
      <SaveBar draft={draft} />
    </Page>
  );
}
