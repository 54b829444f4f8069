import { Badge, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { useSession } from '../../app/account/session.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { toastDone } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { useSubmit } from '../sign-in/use-submit.ts';
import { AppList } from '../connected-apps/ConnectedApps.tsx';
import { MyAccounts } from './MyAccounts.tsx';
import { MyCalls, MyKeys, MyServers } from './MyUse.tsx';
import { SecondFactors } from './SecondFactors.tsx';

/** What everyone who is signed in has: a list of sections. */
export default function Me() {
  const t = useText();
  const { state } = useSession();
  const session = state.kind === 'in' ? state.session : null;
  const isLocal = session?.isLocal === true;
  return (
    <Page
      title={t('account.title')}
      lead={
        session?.via === 'session' ? `${session.name} · ${t(`role.${session.role}`)}` : t('account.tokenLead')
      }
    >
      {session?.via === 'session' && (
        <div className={layout.split}>
          <div className={layout.column}>
            <MyServers />
            <MyAccounts />
            <Panel flush title={t('nav.connectedApps')} lead={t('me.appsLead')}>
              <AppList person="me" />
            </Panel>
            <MyKeys />
            <MyCalls />
          </div>
          <div className={layout.column}>
            {isLocal && <SecondFactors />}
            {isLocal && <PasswordPanel />}
            <SessionsPanel />
          </div>
        </div>
      )}
    </Page>
  );
}

function PasswordPanel() {
  const t = useText();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { onSubmit, busy, problem } = useSubmit(async () => {
    await request('POST', '/session/password', { body: { current, password } });
    setCurrent('');
    setPassword('');
    toastDone(t('common.saved'));
  });
  return (
    <Panel title={t('account.password')} lead={t('account.passwordLead')}>
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          <PasswordInput
            label={t('account.currentPassword')}
            visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            required
            withAsterisk={false}
          />
          <PasswordInput
            label={t('signIn.newPassword')}
            description={t('signIn.passwordHint')}
            visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={problem}
            required
            withAsterisk={false}
          />
          <Button type="submit" w="fit-content" loading={busy}>
            {t('account.changePassword')}
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}

function SessionsPanel() {
  const t = useText();
  const format = useFormats();
  const { signOut } = useSession();
  const sessions = useGet('/sessions', {});
  return (
    <Panel
      flush
      title={t('account.sessions')}
      actions={
        <Button size="xs" variant="default" onClick={() => void signOut(true)}>
          {t('account.signOutEverywhere')}
        </Button>
      }
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <RowList>
            {items.map((entry) => (
              <Row
                key={`${entry.createdAt}${entry.address}`}
                name={deviceOf(entry.userAgent)}
                badge={entry.current && <Badge>{t('account.thisOne')}</Badge>}
                note={<Text span size="sm">{`${entry.address} · ${format.ago(entry.lastSeenAt)}`}</Text>}
              />
            ))}
          </RowList>
        )}
      </Loaded>
    </Panel>
  );
}

/** The browser and the system that a user agent names, or what it says itself. */
function deviceOf(userAgent: string): string {
  const browser = [/Edg/, /OPR/, /Firefox/, /Chrome/, /Safari/].findIndex((name) => name.test(userAgent));
  const system = [/Android/, /iPhone|iPad/, /Windows/, /Mac OS/, /Linux/].findIndex((name) =>
    name.test(userAgent),
  );
  if (!userAgent.startsWith('Mozilla/') || browser < 0) return userAgent.slice(0, 80) || '–';
  return [
    ['Edge', 'Opera', 'Firefox', 'Chrome', 'Safari'][browser],
    ['Android', 'iOS', 'Windows', 'macOS', 'Linux'][system],
  ]
    .filter(Boolean)
    .join(' · ');
}
