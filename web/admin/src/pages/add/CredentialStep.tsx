import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useChange, useGet } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { AuthSchemeForm } from '../apis/auth-scheme/AuthSchemeForm.tsx';
import { initialSchemes } from '../apis/auth-scheme/SchemeFields.tsx';
import { CredentialForm } from '../credentials/CredentialForm.tsx';

/** Asks for an API's secret. If the document declares no authentication, asks whether the API needs any. */
export function CredentialStep({ api: slug, onDone }: { api: string; onDone: () => void }) {
  const t = useText();
  const api = useGet('/apis/:api', { params: { api: slug } });
  return (
    <Loaded query={api}>
      {(loaded) =>
        loaded.auth.kind === 'none' ? (
          <SignInQuestion api={loaded} onNone={onDone} />
        ) : (
          <Panel title={t('add.credential')} lead={t('add.credentialLead')}>
            <CredentialForm api={loaded} onDone={onDone} skip={onDone} isStep />
          </Panel>
        )
      }
    </Loaded>
  );
}

function SignInQuestion({ api, onNone }: { api: Api; onNone: () => void }) {
  const t = useText();
  const [wants, setWants] = useState(false);
  const [auth, setAuth] = useState<Api['auth']>(initialSchemes['api-key']);
  const update = useChange('PATCH', '/apis/:api', ['/apis', '/apis/:api']);
  return (
    <Panel
      title={t('authQuestion.title', { api: api.name })}
      lead={t('authQuestion.lead', { host: new URL(api.baseUrl).host })}
    >
      {wants ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            update.mutate(
              { params: { api: api.id }, body: { auth }, revision: api.revision },
              { onError: toastProblem },
            );
          }}
        >
          <Stack gap="md" maw={640}>
            <AuthSchemeForm value={auth} onChange={setAuth} />
            <Group gap="xs">
              <Button type="submit" loading={update.isPending} disabled={auth.kind === 'none'}>
                {t('authQuestion.next')}
              </Button>
              <Button variant="subtle" color="gray" onClick={() => setWants(false)}>
                {t('common.back')}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
          <Group gap="xs">
            <Button onClick={onNone}>{t('authQuestion.no')}</Button>
            <Button variant="default" onClick={() => setWants(true)}>
              {t('authQuestion.yes')}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            {t('authQuestion.laterHint')}
          </Text>
        </Stack>
      )}
    </Panel>
  );
}
