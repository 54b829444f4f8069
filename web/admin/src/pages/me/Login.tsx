import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check, SquareTerminal, X } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { useSubmit } from '../sign-in/use-submit.ts';

/** Where someone agrees that a command line acts as them. */
export default function Login() {
  const t = useText();
  // The fragment never leaves the browser, so codes in links don't end up in logs.
  const [code, setCode] = useState(() => decodeURIComponent(window.location.hash.slice(1)));
  const [done, setDone] = useState<'done' | 'denied' | null>(null);
  return (
    <Page title={t('login.title')} lead={t('login.lead')}>
      <Panel>
        {done !== null ? (
          <EmptyState
            icon={done === 'done' ? Check : X}
            title={t(`login.${done}`)}
            text={t(`login.${done}Text`)}
          />
        ) : code === '' ? (
          <CodeForm onCode={setCode} />
        ) : (
          <Decision code={code} onDone={setDone} />
        )}
      </Panel>
    </Page>
  );
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const t = useText();
  const [entered, setEntered] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCode(entered);
      }}
    >
      <Stack gap="md" maw={420}>
        <TextInput
          label={t('login.code')}
          description={t('login.codeHint')}
          value={entered}
          onChange={(event) => setEntered(event.currentTarget.value)}
          autoCapitalize="characters"
          autoComplete="off"
          maxLength={20}
          autoFocus
          required
          withAsterisk={false}
        />
        <Button type="submit" w="fit-content">
          {t('login.show')}
        </Button>
      </Stack>
    </form>
  );
}

function Decision({ code, onDone }: { code: string; onDone: (how: 'done' | 'denied') => void }) {
  const t = useText();
  const format = useFormats();
  const asked = useQuery({
    queryKey: ['login', code],
    queryFn: () => request('POST', '/login/show', { body: { code } }),
    retry: false,
    gcTime: 0,
  });
  const { onSubmit, busy, problem } = useSubmit(async () => {
    const { returnTo } = await request('POST', '/login/approve', { body: { code } });
    onDone('done');
    // Back to the terminal that opened this page, on this machine.
    if (returnTo !== null) location.assign(returnTo);
  });
  const deny = useSubmit(async () => {
    await request('POST', '/login/deny', { body: { code } });
    onDone('denied');
  });
  return (
    <Loaded query={asked} rows={3}>
      {({ machine, address, startedAt }) => (
        <form onSubmit={onSubmit}>
          <Stack gap="md" maw={520}>
            <Group gap="sm" wrap="nowrap">
              <SquareTerminal size={20} aria-hidden />
              <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                {t('login.ask', { machine })}
              </Text>
            </Group>
            <Text size="sm" c="dimmed">
              {t('login.from', { address, when: format.ago(startedAt) })}
            </Text>
            <Alert color="orange">{t('login.warning')}</Alert>
            {(problem ?? deny.problem) !== null && <Alert color="red">{problem ?? deny.problem}</Alert>}
            <Group gap="xs">
              <Button type="submit" loading={busy}>
                {t('login.approve')}
              </Button>
              <Button variant="default" loading={deny.busy} onClick={deny.onSubmit}>
                {t('login.deny')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Loaded>
  );
}
