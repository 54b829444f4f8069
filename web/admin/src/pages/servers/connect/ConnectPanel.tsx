import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Compass, ExternalLink, KeyRound } from 'lucide-react';
import { mcpClients } from '#domain/mcp-clients.ts';
import { useState } from 'react';
import { useChange, useGet } from '../../../api/queries.ts';
import type { Server } from '../../../api/resources.ts';
import { RequireRole } from '../../../app/account/permissions.tsx';
import { CodeBlock } from '../../../components/display/CodeBlock.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { QrCode } from '../../../components/qr/QrCode.tsx';
import { toastProblem } from '../../../components/feedback/toasts.ts';
import { useText } from '../../../i18n/text.tsx';
import { connectionTo, isLoopback } from './connection.ts';
import styles from './ConnectPanel.module.css';

/** The configuration for each client, with the key filled in if it was just created. */
export function ConnectPanel({ server, madeKey = null }: { server: Server; madeKey?: string | null }) {
  const t = useText();
  const [chosenId, setChosenId] = useState<string>(mcpClients[0]!.id);
  const chosen = mcpClients.find(({ id }) => id === chosenId);
  const webApp = webApps.find(({ id }) => id === chosenId);
  const [key, setKey] = useState<string | null>(madeKey);
  const settings = useGet('/settings', {});
  const connection = connectionTo(server, headersOf(server, key), settings.data?.fromEnvironment.program);
  return (
    <Panel
      title={t('connect.title')}
      lead={t('connect.lead')}
      actions={
        <Button
          component="a"
          href={`/explorer/${server.slug}/`}
          target="_blank"
          rel="noreferrer"
          variant="default"
          size="xs"
          leftSection={<Compass size={14} aria-hidden />}
        >
          {t('connect.explorer')}
        </Button>
      }
    >
      <Stack gap="md">
        <div className={styles.address}>
          <Stack gap="md" className={styles.addressText}>
            <CodeBlock text={server.url} label={t('connect.address')} />
            <KeyStep server={server} made={key} onMade={setKey} />
          </Stack>
          {!isLoopback(server.url) && (
            <figure className={styles.qr}>
              <QrCode text={server.url} label={t('connect.qr')} />
              <figcaption>{t('connect.scan')}</figcaption>
            </figure>
          )}
        </div>
        <div className={styles.clients} role="group" aria-label={t('connect.client')}>
          {[...mcpClients.slice(0, 2), ...webApps, ...mcpClients.slice(2)].map(({ id, title }) => (
            <button
              key={id}
              type="button"
              className={styles.client}
              aria-pressed={id === chosenId}
              onClick={() => setChosenId(id)}
            >
              <span className={styles.mark} aria-hidden>
                {title.slice(0, 1)}
              </span>
              {title}
            </button>
          ))}
        </div>
        {webApp && <WebAppSteps server={server} app={webApp} />}
        {chosen && (
          <>
            <Group justify="space-between" align="center">
              <Text size="sm" c="dimmed">
                {chosen.file === null ? t('connect.run') : t('connect.pasteInto', { file: chosen.file })}
              </Text>
              {chosen.link && (
                <Button
                  component="a"
                  href={chosen.link(connection)}
                  size="xs"
                  leftSection={<ExternalLink size={14} aria-hidden />}
                >
                  {t('connect.openIn', { client: chosen.title })}
                </Button>
              )}
            </Group>
            <CodeBlock text={chosen.show(connection)} label={chosen.title} />
            {chosen.keyIsApart && Object.keys(connection.headers).length > 0 && (
              <Text size="sm" c="dimmed">
                {t('connect.asksForKey', { client: chosen.title })}
              </Text>
            )}
          </>
        )}
      </Stack>
    </Panel>
  );
}

/** Apps in the browser: people paste the URL there and sign in. */
const webApps = [
  { id: 'claude-ai', title: 'claude.ai' },
  { id: 'chatgpt', title: 'ChatGPT' },
] as const;

function WebAppSteps({ server, app }: { server: Server; app: (typeof webApps)[number] }) {
  const t = useText();
  const isReachable = server.url.startsWith('https:') && !isLoopback(server.url);
  const { kind } = server.policy;
  return (
    <>
      {!isReachable && (
        <Alert color="orange">{t('connect.web.notReachable', { client: app.title, url: server.url })}</Alert>
      )}
      {(kind === 'key' || kind === 'basic') && (
        <Alert color="orange">{t('connect.web.needsSignIn', { client: app.title })}</Alert>
      )}
      <ol className={styles.steps}>
        <li>{t(`connect.web.${app.id}`)}</li>
        <li>{t('connect.web.paste', { url: server.url })}</li>
        <li>{t('connect.web.signIn')}</li>
      </ol>
    </>
  );
}

function headersOf(server: Server, key: string | null): Record<string, string> {
  switch (server.policy.kind) {
    case 'open':
    case 'sign-in':
    case 'oauth':
      return {};
    case 'basic':
      return { Authorization: 'Basic BASE64_OF_NAME_AND_KEY' };
    case 'key': {
      const value = key ?? 'YOUR_ACCESS_KEY';
      return server.policy.header === undefined
        ? { Authorization: `Bearer ${value}` }
        : { [server.policy.header]: value };
    }
  }
}

function KeyStep({
  server,
  made,
  onMade,
}: {
  server: Server;
  made: string | null;
  onMade: (key: string) => void;
}) {
  const t = useText();
  const create = useChange('POST', '/keys', ['/keys']);
  if (server.policy.kind === 'open')
    return (
      <Text size="sm" c="dimmed">
        {t('connect.open')}
      </Text>
    );
  if (server.policy.kind === 'oauth' || server.policy.kind === 'sign-in')
    return (
      <Text size="sm" c="dimmed">
        {t(server.policy.kind === 'oauth' ? 'connect.oauth' : 'connect.signIn')}
      </Text>
    );
  if (made !== null)
    return (
      <Alert color="brand" icon={<KeyRound size={16} aria-hidden />} title={t('keys.shownOnce')}>
        <CodeBlock text={made} label={t('keys.theKey')} />
      </Alert>
    );
  const make = () =>
    create.mutate(
      { body: { name: t('connect.keyName', { server: server.name }), servers: [server.id] } },
      { onSuccess: ({ key }) => onMade(key), onError: toastProblem },
    );
  return (
    <RequireRole>
      <Group gap="sm">
        <Text size="sm" c="dimmed" flex="1 1 240px">
          {t('connect.needsKey')}
        </Text>
        <Button
          size="xs"
          variant="light"
          leftSection={<KeyRound size={14} aria-hidden />}
          loading={create.isPending}
          onClick={make}
        >
          {t('connect.makeKey')}
        </Button>
      </Group>
    </RequireRole>
  );
}
