import { Badge, Button } from '@mantine/core';
import { SquareTerminal } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { EditableFields } from '../../app/account/permissions.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { DetailPage } from '../../components/DetailPage.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { emptyAsNull } from '../../editing/empty-as-null.ts';
import { useDraft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ConnectPanel } from './connect/ConnectPanel.tsx';
import { PromptsEditor } from './PromptsEditor.tsx';
import { ResourcesEditor } from './ResourcesEditor.tsx';
import { ServerMode } from './ServerMode.tsx';
import { ServerSettings } from './ServerSettings.tsx';
import { ToolChoice } from './ToolChoice.tsx';

/** One published server: how to connect, its tools, and who can use it. */
export default function ServerPage({ reference }: { reference: string }) {
  const server = useGet('/servers/:server', { params: { server: reference } });
  return <Loaded query={server}>{(loaded) => <ServerEditor key={loaded.id} server={loaded} />}</Loaded>;
}

function ServerEditor({ server }: { server: Server }) {
  const t = useText();
  const [, go] = useLocation();
  const update = useChange('PATCH', '/servers/:server', [
    '/servers',
    '/servers/:server',
    '/servers/:server/cost',
    '/server-costs',
    '/tool-index',
  ]);
  const remove = useChange('DELETE', '/servers/:server', ['/servers']);
  const draft = useDraft<Server>(
    server,
    (changes, revision) =>
      update.mutateAsync({ params: { server: server.id }, body: emptyAsNull(changes) as never, revision }),
    () => request('GET', '/servers/:server', { params: { server: server.id } }),
  );
  return (
    <DetailPage
      draft={draft}
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
        <Button
          component={Link}
          href={`/code/${server.slug}`}
          variant="default"
          leftSection={<SquareTerminal size={15} aria-hidden />}
        >
          {t('code.open')}
        </Button>
      }
      deletion={{
        title: t('servers.deleteTitle', { name: server.name }),
        text: t('servers.deleteText'),
        affects: { server: server.id },
        run: () =>
          remove.mutate(
            { params: { server: server.id } },
            { onSuccess: () => go('/servers'), onError: toastProblem },
          ),
      }}
      tabs={[
        { id: 'connect', name: t('connect.tab'), content: <ConnectPanel server={server} /> },
        {
          id: 'tools',
          name: t('nav.tools'),
          content: (
            <EditableFields>
              <ToolChoice server={server} draft={draft} />
            </EditableFields>
          ),
        },
        {
          id: 'mode',
          name: t('cost.tab'),
          content: <ServerMode server={server} draft={draft} />,
        },
        {
          id: 'settings',
          name: t('servers.settings'),
          content: (
            <EditableFields>
              <ServerSettings draft={draft} />
            </EditableFields>
          ),
        },
        {
          id: 'prompts',
          name: t('servers.prompts'),
          content: (
            <EditableFields>
              <div className={layout.column}>
                <PromptsEditor draft={draft} />
                <ResourcesEditor draft={draft} />
              </div>
            </EditableFields>
          ),
        },
      ]}
    />
  );
}
