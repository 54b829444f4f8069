import { Badge, Button, Group } from '@mantine/core';
import { Blocks } from 'lucide-react';
import { useAll, useChange } from '../../api/queries.ts';
import type { ConnectedApp } from '../../api/resources.ts';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

/** The apps that people signed in with: everyone's for an owner, one's own for others. */
export default function ConnectedApps() {
  const t = useText();
  return (
    <Page title={t('nav.connectedApps')} lead={t('connectedApps.lead')}>
      <Panel flush>
        <AppList />
      </Panel>
    </Page>
  );
}

/** Connected apps: everyone's for an owner, or those of one person. */
export function AppList({ person }: { person?: string }) {
  const t = useText();
  const apps = useAll('/connected-apps', person === undefined ? {} : { person });
  return (
    <Loaded query={apps}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState
            icon={Blocks}
            title={t('connectedApps.empty')}
            text={t(person === undefined ? 'connectedApps.emptyText' : 'me.noAppsText')}
          />
        ) : (
          <RowList>
            {all.map((app) => (
              <AppRow key={app.id} app={app} />
            ))}
          </RowList>
        )
      }
    </Loaded>
  );
}

function AppRow({ app }: { app: ConnectedApp }) {
  const t = useText();
  const format = useFormats();
  const remove = useChange('DELETE', '/connected-apps/:app', ['/connected-apps']);
  const onDisconnect = async () => {
    if (
      await confirm({
        title: t('connectedApps.disconnectTitle', { name: app.name }),
        text: t('connectedApps.disconnectText'),
        action: t('connectedApps.disconnect'),
      })
    )
      remove.mutate({ params: { app: app.id } }, { onError: toastProblem });
  };
  const may = app.kinds.map((kind) => t(`choose.kind.${kind}`)).join(', ') || t('connectedApps.mayNothing');
  const used =
    app.lastUsedAt === undefined
      ? t('connectedApps.neverUsed')
      : t('connectedApps.lastUsed', { when: format.moment(app.lastUsedAt) });
  return (
    <Row
      name={app.name}
      badge={
        app.domain === undefined ? (
          <Badge color="orange">{t('connectedApps.unverified')}</Badge>
        ) : (
          <Badge>{app.domain}</Badge>
        )
      }
      note={`${t('connectedApps.ofPerson', { person: app.person.name, server: app.server })} · ${may}${
        app.except.length > 0 ? ` · ${t('connectedApps.except', { count: app.except.length })}` : ''
      } · ${used}`}
      side={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => void onDisconnect()}>
            {t('connectedApps.disconnect')}
          </Button>
        </Group>
      }
    />
  );
}
