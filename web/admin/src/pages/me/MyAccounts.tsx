import { Alert, Badge, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { CircleCheck, Link2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/problem.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Account } from '../../api/resources.ts';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { useSubmit } from '../sign-in/use-submit.ts';

/** The accounts of the signed-in person: connects, replaces and disconnects them. A link from a call leads here. */
export function MyAccounts() {
  const t = useText();
  const search = new URLSearchParams(useSearch());
  const link = search.get('connect');
  return (
    <>
      {link !== null && <LinkedAccount link={link} />}
      <Panel title={t('accounts.title')} lead={t('accounts.lead')} flush>
        <AccountList connected={search.get('connected')} />
      </Panel>
    </>
  );
}

/** The account that a call was waiting for. */
function LinkedAccount({ link }: { link: string }) {
  const t = useText();
  const read = useGet('/account-link', { query: { link } });
  if (read.isError)
    return (
      <Alert color="red" title={t('accounts.linkFailed')} role="alert">
        {messageOf(read.error)}
      </Alert>
    );
  return (
    <Loaded query={read}>
      {(account) =>
        account.status === 'connected' ? (
          <Done name={account.name} />
        ) : (
          <Panel title={t('accounts.connectTo', { name: account.name })} lead={t('accounts.connectLead')}>
            <ConnectForm account={account} />
          </Panel>
        )
      }
    </Loaded>
  );
}

function Done({ name }: { name: string }) {
  const t = useText();
  return (
    <Alert
      color="green"
      icon={<CircleCheck size={16} aria-hidden />}
      title={t('accounts.done', { name })}
      role="status"
    >
      {t('accounts.doneText')}
    </Alert>
  );
}

function AccountList({ connected }: { connected: string | null }) {
  const t = useText();
  const accounts = useGet('/accounts', {});
  return (
    <Loaded query={accounts}>
      {({ items }) => (
        <>
          {items
            .filter(({ api, status }) => api === connected && status === 'connected')
            .map(({ api, name }) => (
              <Done key={api} name={name} />
            ))}
          {items.length === 0 ? (
            <EmptyState icon={Link2} title={t('accounts.empty')} text={t('accounts.emptyText')} />
          ) : (
            <RowList>
              {items.map((account) => (
                <AccountRow key={account.api} account={account} />
              ))}
            </RowList>
          )}
        </>
      )}
    </Loaded>
  );
}

function AccountRow({ account }: { account: Account }) {
  const t = useText();
  const format = useFormats();
  const [isOpen, setOpen] = useState(false);
  const remove = useChange('DELETE', '/accounts/:api', ['/accounts', '/account-link']);
  const onDisconnect = async () => {
    if (
      await confirm({
        title: t('accounts.disconnectTitle', { name: account.name }),
        text: t('accounts.disconnectText'),
        action: t('accounts.disconnect'),
      })
    )
      remove.mutate({ params: { api: account.api } }, { onError: toastProblem });
  };
  const note =
    account.updatedAt === undefined
      ? t('accounts.notConnected')
      : t('accounts.since', { when: format.moment(account.updatedAt) });
  return (
    <Row
      name={account.name}
      badge={
        account.status === 'connected' ? (
          <Badge color="green">{t('accounts.connected')}</Badge>
        ) : (
          account.status === 'outdated' && <Badge color="orange">{t('accounts.outdated')}</Badge>
        )
      }
      note={
        <>
          {account.status === 'outdated' ? t('accounts.outdatedText') : note}
          {isOpen && (
            <Stack mt="sm" maw={420}>
              <ConnectForm account={account} onDone={() => setOpen(false)} />
            </Stack>
          )}
        </>
      }
      side={
        <Group gap="xs">
          {!isOpen && (
            <Button
              size="xs"
              variant={account.status === 'connected' ? 'default' : 'filled'}
              aria-label={`${t(account.status === 'connected' ? 'accounts.replace' : 'accounts.connect')}: ${account.name}`}
              onClick={() => setOpen(true)}
            >
              {t(account.status === 'connected' ? 'accounts.replace' : 'accounts.connect')}
            </Button>
          )}
          {account.status !== 'none' && (
            <Button
              size="xs"
              variant="default"
              aria-label={`${t('accounts.disconnect')}: ${account.name}`}
              onClick={() => void onDisconnect()}
            >
              {t('accounts.disconnect')}
            </Button>
          )}
        </Group>
      }
    />
  );
}

/** Connects an account: in the browser at the API, or with values that are entered here. */
function ConnectForm({ account, onDone }: { account: Account; onDone?: () => void }) {
  const t = useText();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const enter = useChange('PUT', '/accounts/:api', ['/accounts', '/account-link']);
  const isInBrowser = account.how === 'browser';
  const { onSubmit, busy, problem } = useSubmit(async () => {
    if (isInBrowser) {
      const { authorizationUrl } = await request('POST', '/accounts/:api/connect', {
        params: { api: account.api },
      });
      location.assign(authorizationUrl);
      return;
    }
    const fields = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    await enter.mutateAsync({ params: { api: account.api }, body: { fields } });
    setValues({});
    toastDone(t('accounts.done', { name: account.name }));
    onDone?.();
  });
  // Nothing that was typed stays in memory once the form is gone.
  useEffect(() => () => setValues({}), []);
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        {isInBrowser ? (
          <Text size="sm">{t('accounts.browserText', { name: account.name })}</Text>
        ) : (
          [...account.fields, ...account.optionalFields].map((field) => (
            <PasswordInput
              key={field}
              label={t(account.fields.includes(field) ? 'accounts.field' : 'accounts.optionalField', {
                field,
              })}
              visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
              autoComplete="off"
              required={account.fields.includes(field)}
              withAsterisk={false}
              value={values[field] ?? ''}
              onChange={(event) => setValues({ ...values, [field]: event.currentTarget.value })}
            />
          ))
        )}
        {problem !== null && (
          <Text size="sm" c="red" role="alert">
            {problem}
          </Text>
        )}
        <Button type="submit" w="fit-content" loading={busy}>
          {isInBrowser ? t('accounts.continueAt', { name: account.name }) : t('accounts.save')}
        </Button>
      </Stack>
    </form>
  );
}
