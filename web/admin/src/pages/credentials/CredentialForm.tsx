import { Alert, Button, Group, PasswordInput, Stack, Text, Textarea } from '@mantine/core';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { optionalSecretFields, secretFields } from '../../../../../src/domain/auth-scheme.ts';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/problem.ts';
import type { Api } from '../../api/resources.ts';
import { toastDone, toastProblem } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { mono } from '../../theme/mono.ts';

type Test = { readonly ok: boolean | null; readonly message: string };

// Tokens the gateway itself keeps; nobody types them.
const kept = /accessToken/;

interface CredentialFormProps {
  readonly api: Api;
  readonly onDone: () => void;
  readonly skip?: () => void;
}

/** Enters the secret an API wants and tries it; a secret that the API refuses is not kept. */
export function CredentialForm({ api, onDone, skip }: CredentialFormProps) {
  const t = useText();
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const [test, setTest] = useState<Test | null>(null);
  const needed = secretFields(api.auth);
  const optional = optionalSecretFields(api.auth).filter((field) => !kept.test(field));
  const connects = api.auth.kind === 'oauth2' && api.auth.grant === 'authorization_code';

  async function save(): Promise<void> {
    setBusy(true);
    setTest(null);
    try {
      const credential = await request('POST', '/credentials', {
        body: {
          api: api.id,
          fields: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
        },
      });
      if (connects) {
        const { authorizationUrl } = await request('POST', '/credentials/:credential/connect', {
          params: { credential: credential.id },
        });
        if (/^https?:/.test(authorizationUrl)) window.location.assign(authorizationUrl);
        return;
      }
      const result = await request('POST', '/credentials/:credential/test', {
        params: { credential: credential.id },
        body: {},
      }).catch((error: unknown): Test => ({ ok: null, message: messageOf(error) }));
      if (result.ok === false) {
        await request('DELETE', '/credentials/:credential', { params: { credential: credential.id } });
        setTest(result);
        return;
      }
      toastDone(result.message || t('common.saved'));
      onDone();
    } catch (error) {
      toastProblem(error);
    } finally {
      setBusy(false);
      await Promise.all(
        ['/credentials', '/apis', '/apis/:api'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      );
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('credentials.wants', { api: api.name, kind: t(`auth.${api.auth.kind}`) })}
        </Text>
        {[...needed, ...optional].map((field) =>
          /[pP]em$/.test(field) ? (
            <Textarea
              key={field}
              label={field}
              required={needed.includes(field)}
              autosize
              minRows={3}
              maxRows={8}
              styles={mono}
              autoComplete="off"
              value={values[field] ?? ''}
              onChange={(event) => setValues({ ...values, [field]: event.currentTarget.value })}
            />
          ) : (
            <PasswordInput
              key={field}
              label={fieldName(api, field)}
              required={needed.includes(field)}
              visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
              autoComplete="off"
              data-1p-ignore
              value={values[field] ?? ''}
              onChange={(event) => setValues({ ...values, [field]: event.currentTarget.value })}
            />
          ),
        )}
        {test && (
          <Alert
            color={test.ok ? 'green' : 'red'}
            icon={test.ok ? <CircleCheck size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
          >
            {test.message}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={busy}>
            {connects ? t('credentials.connect') : t('credentials.testAndSave')}
          </Button>
          {skip && (
            <Button variant="subtle" color="gray" onClick={skip}>
              {t('credentials.later')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** The field as the API calls it: the name of the header or parameter where there is one. */
function fieldName(api: Api, field: string): string {
  return api.auth.kind === 'api-key' && field === 'value' ? api.auth.name : field;
}
