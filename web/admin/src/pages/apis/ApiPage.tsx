import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { LockKeyhole, Plus, RefreshCw } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { EditableFields, RequireRole, useHasRole } from '../../app/account/permissions.tsx';
import { LimitsForm } from '../../components/inputs/LimitsForm.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { DetailPage } from '../../components/DetailPage.tsx';
import { CredentialButton } from '../../components/remedies/ProblemText.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { emptyAsNull } from '../../editing/empty-as-null.ts';
import { useDraft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ToolTable } from '../tools/ToolTable.tsx';
import { ApiAccounts } from './ApiAccounts.tsx';
import { ApiSettings } from './ApiSettings.tsx';
import { ApiSource } from './ApiSource.tsx';
import { ApiApprovals } from './ApiApprovals.tsx';

/** One API: its tools, settings, credential and source. */
export default function ApiPage({ reference }: { reference: string }) {
  const api = useGet('/apis/:api', { params: { api: reference } });
  return (
    <Loaded query={api}>
      {(loaded) => <ApiEditor key={loaded.id} api={loaded} reference={reference} />}
    </Loaded>
  );
}

function ApiEditor({ api, reference }: { api: Api; reference: string }) {
  const t = useText();
  const [, go] = useLocation();
  const isOwner = useHasRole('owner');
  // Everyone enters their own; only a sign-in needs the API's client.
  const isEntered = api.ownAccounts === true && api.auth.kind !== 'oauth2';
  const update = useChange('PATCH', '/apis/:api', ['/apis', '/apis/:api', '/tools', '/tools/:tool']);
  const remove = useChange('DELETE', '/apis/:api', ['/apis', '/tools', '/servers']);
  const draft = useDraft<Api>(
    api,
    (changes, revision) =>
      update.mutateAsync({ params: { api: api.id }, body: emptyAsNull(changes) as never, revision }),
    () => request('GET', '/apis/:api', { params: { api: api.id } }),
  );
  return (
    <DetailPage
      draft={draft}
      title={api.name}
      parent={{ href: '/apis', label: t('nav.apis') }}
      lead={api.baseUrl}
      badge={!api.enabled && <Badge color="gray">{t('common.disabled')}</Badge>}
      actions={
        <RequireRole>
          {api.source?.url && (
            <Button
              component={Link}
              href={`/apis/${reference}?tab=source&check=now`}
              variant="default"
              leftSection={<RefreshCw size={15} aria-hidden />}
            >
              {t('apis.checkForChanges')}
            </Button>
          )}
          <Button
            component={Link}
            href={`/apis/${reference}/new-tool`}
            variant="default"
            leftSection={<Plus size={15} aria-hidden />}
          >
            {t('newTool.short')}
          </Button>
        </RequireRole>
      }
      deletion={{
        title: t('apis.deleteTitle', { name: api.name }),
        text: t('apis.deleteText', { count: api.toolCount }),
        affects: { api: api.id },
        run: () =>
          remove.mutate({ params: { api: api.id } }, { onSuccess: () => go('/apis'), onError: toastProblem }),
      }}
      tabs={[
        {
          id: 'tools',
          name: t('nav.tools'),
          content: (
            <div className={layout.column}>
              {api.pendingCount > 0 && <ApiApprovals api={api} />}
              <ToolTable api={api.slug} />
            </div>
          ),
        },
        {
          id: 'settings',
          name: t('apis.settings'),
          content: (
            <EditableFields>
              <ApiSettings draft={draft} />
            </EditableFields>
          ),
        },
        {
          id: 'limits',
          name: t('limits.title'),
          content: (
            <Panel title={t('limits.title')} lead={t('limits.apiLead')}>
              <EditableFields>
                <LimitsForm value={draft.value.limits} onChange={(limits) => draft.set({ limits })} />
              </EditableFields>
            </Panel>
          ),
        },
        ...(api.ownAccounts === true && isOwner
          ? [{ id: 'accounts', name: t('apis.accounts'), content: <ApiAccounts api={api.slug} /> }]
          : []),
        {
          id: 'source',
          name: t('apis.source'),
          content: <ApiSource api={api} />,
        },
      ]}
    >
      {api.auth.kind !== 'none' && !api.hasCredential && !isEntered && (
        <Alert color="orange" mb="lg" icon={<LockKeyhole size={16} aria-hidden />} title={t('add.closed')}>
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex="1 1 260px">
              {t('add.closedText')}
            </Text>
            <CredentialButton api={api.slug} />
          </Group>
        </Alert>
      )}
    </DetailPage>
  );
}
