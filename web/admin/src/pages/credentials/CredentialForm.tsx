import { Alert, Button, Group, PasswordInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleHelp, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { optionalSecretFields, secretFields } from '#domain/secret-fields.ts';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/problem.ts';
import type { Api } from '../../api/resources.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { ProblemText } from '../../components/remedies/ProblemText.tsx';
import { useLanguage, type LanguageContext } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';

type Test = { readonly ok: boolean | null; readonly message: string };

// Tokens the gateway obtains itself; no one types them.
const kept = /accessToken/;
// Identifiers rather than secrets, so they can be visible while typing.
const open = /(?:^|\.)(?:username|clientId|keyId|accessKeyId)$/;

interface CredentialFormProps {
  readonly api: Api;
  readonly onDone: () => void;
  readonly skip?: () => void;
  /** In the wizard: the next step confirms the save, so no toast is shown. */
  readonly isStep?: boolean;
}

/**
 * Asks for an API's secret. It is tested before it is stored; a secret the API rejects is stored only if the user
 * insists.
 */
export function CredentialForm({ api, onDone, skip, isStep = false }: CredentialFormProps) {
  const language = useLanguage();
  const { t } = language;
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const [path, setPath] = useState('');
  const [busy, setBusy] = useState<'test' | 'save' | null>(null);
  const [test, setTest] = useState<Test | null>(null);
  const needed = secretFields(api.auth);
  const optional = optionalSecretFields(api.auth).filter((field) => !kept.test(field));
  const connects = api.auth.kind === 'oauth2' && api.auth.grant === 'authorization_code';
  const complete = needed.every((field) => (values[field] ?? '') !== '');
  const fields = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

  const set = (field: string, value: string) => {
    setValues({ ...values, [field]: value });
    setTest(null);
  };

  const tried = (): Promise<Test> =>
    request('POST', '/credentials/test', {
      body: { api: api.id, fields, ...(path.trim() !== '' && { path: path.trim() }) },
    }).catch((error: unknown): Test => ({ ok: false, message: messageOf(error) }));

  async function tryOnly(): Promise<void> {
    setBusy('test');
    setTest(await tried());
    setBusy(null);
  }

  async function save(insist: boolean): Promise<void> {
    setBusy('save');
    try {
      const result = connects || insist ? null : await tried();
      setTest(result);
      if (result?.ok === false) return;
      const credential = await request('POST', '/credentials', { body: { api: api.id, fields } });
      if (connects) {
        const { authorizationUrl } = await request('POST', '/credentials/:credential/connect', {
          params: { credential: credential.id },
        });
        if (/^https?:/.test(authorizationUrl)) window.location.assign(authorizationUrl);
        return;
      }
      if (!isStep) toastDone(result?.message ?? t('common.saved'));
      onDone();
    } catch (error) {
      toastProblem(error);
    } finally {
      setBusy(null);
      await Promise.all(
        ['/credentials', '/apis', '/apis/:api'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      );
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('credentials.needs', { api: api.name, kind: t(`auth.${api.auth.kind}`) })}{' '}
          {api.hasCredential && t('credentials.replaces')}
        </Text>
        {[...needed, ...optional].map((field) => {
          const common = {
            label: fieldName(language, api, field),
            required: needed.includes(field),
            autoComplete: 'off',
            'data-1p-ignore': true,
            value: values[field] ?? '',
            onChange: (event: { currentTarget: { value: string } }) => set(field, event.currentTarget.value),
          };
          if (/[pP]em$/.test(field))
            return <Textarea key={field} {...common} autosize minRows={3} maxRows={8} styles={mono} />;
          if (open.test(field)) return <TextInput key={field} {...common} />;
          return (
            <PasswordInput
              key={field}
              {...common}
              visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
            />
          );
        })}
        <Text size="xs" c="dimmed">
          {t('credentials.referenceHint', { example: '${env:SECRET_NAME}' })}
        </Text>
        {!connects && (
          <TextInput
            label={t('credentials.path')}
            description={t('credentials.pathHint')}
            placeholder={api.probe?.path ?? '/'}
            value={path}
            onChange={(event) => {
              setPath(event.currentTarget.value);
              setTest(null);
            }}
          />
        )}
        {test && <TestResult test={test} />}
        <Group gap="xs">
          <Button type="submit" loading={busy === 'save'}>
            {connects ? t('credentials.connect') : t('credentials.testAndSave')}
          </Button>
          {!connects && (
            <Button
              variant="default"
              disabled={!complete}
              loading={busy === 'test'}
              onClick={() => void tryOnly()}
            >
              {t('credentials.test')}
            </Button>
          )}
          {test?.ok === false && (
            <Button variant="subtle" color="red" onClick={() => void save(true)}>
              {t('credentials.saveAnyway')}
            </Button>
          )}
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

function TestResult({ test }: { test: Test }) {
  const [color, Icon] =
    test.ok === null
      ? (['yellow', CircleHelp] as const)
      : test.ok
        ? (['green', CircleCheck] as const)
        : (['red', TriangleAlert] as const);
  return (
    <Alert color={color} icon={<Icon size={16} aria-hidden />} role="status">
      <ProblemText message={test.message} />
    </Alert>
  );
}

/** The label of a field: the API's own header or parameter name if there is one. */
function fieldName({ t, has }: LanguageContext, api: Api, field: string): string {
  if (api.auth.kind === 'api-key' && field === 'value') return api.auth.name;
  const [, part, name = field] = /^(\d+)\.(.*)$/.exec(field) ?? [];
  const key = `credentials.field.${name}`;
  const words = has(key) ? t(key) : name;
  return part === undefined ? words : `${t('auth.part', { number: Number(part) + 1 })}: ${words}`;
}
