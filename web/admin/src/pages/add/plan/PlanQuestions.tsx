import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ImportResult } from '../../../api/resources.ts';
import { useHasRole } from '../../../app/account/permissions.tsx';
import layout from '../../../components/Layout.module.css';
import { Panel } from '../../../components/Panel.tsx';
import { useText } from '../../../i18n/text.tsx';
import type { ImportOptions } from '../options.ts';

interface PlanQuestionsProps {
  readonly plan: readonly ImportResult[];
  /** Every host of a recording, even after one was selected. */
  readonly hosts: readonly string[];
  readonly value: ImportOptions;
  readonly onChange: (changes: ImportOptions) => void;
}

/**
 * What a document leaves open: the host, the base URL, the authentication, and values that are the same in every
 * call.
 */
export function PlanQuestions({ plan, hosts, value, onChange }: PlanQuestionsProps) {
  const t = useText();
  const isOwner = useHasRole('owner');
  const [only] = plan.length === 1 ? plan : [];
  const constants = only?.constants ?? [];
  const fixed = Object.keys(value.fix ?? {}).filter(
    (name) => !constants.some((constant) => constant.name === name),
  );
  const variables = Object.entries(only?.serverTemplate?.variables ?? {});
  const choices = only?.authChoices ?? [];
  const origins = only?.origins ?? [];
  const setFix = (name: string, text: string) => onChange({ fix: { ...value.fix, [name]: text || null } });
  if (hosts.length < 2 && constants.length + fixed.length + variables.length + origins.length === 0)
    if (choices.length < 2) return null;
  return (
    <Panel title={t('questions.title')} lead={t('questions.lead')}>
      <div className={layout.split}>
        <Stack gap="md">
          {hosts.length > 1 && (
            <Select
              label={t('questions.host')}
              description={t('questions.hostHint')}
              clearable
              searchable
              placeholder={t('questions.allHosts')}
              data={[...hosts]}
              value={value.host ?? null}
              onChange={(host) => onChange({ host: host ?? undefined })}
            />
          )}
          {variables.map(([name, variable]) => {
            const label = t('questions.variable', { name });
            const current = value.variables?.[name] ?? variable.value;
            const set = (text: string) => onChange({ variables: { ...value.variables, [name]: text } });
            return variable.allowed ? (
              <Select
                key={name}
                label={label}
                description={variable.description ?? only!.serverTemplate!.url}
                allowDeselect={false}
                data={[...variable.allowed]}
                value={current}
                onChange={(text) => set(text ?? '')}
              />
            ) : (
              <TextInput
                key={name}
                label={label}
                description={variable.description ?? only!.serverTemplate!.url}
                value={current}
                onChange={(event) => set(event.currentTarget.value)}
              />
            );
          })}
          {choices.length > 1 && (
            <Select
              label={t('questions.auth')}
              description={t('questions.authHint')}
              clearable
              placeholder={t('questions.authProposed', { kind: only!.auth.kind })}
              data={choices.map(({ name, auth }) => ({ value: name, label: `${name} (${auth.kind})` }))}
              value={choices.find(({ auth }) => value.auth && sameScheme(auth, value.auth))?.name ?? null}
              onChange={(name) => onChange({ auth: choices.find((choice) => choice.name === name)?.auth })}
            />
          )}
          {origins.length > 0 && (
            <div>
              <Text size="sm" fw={500}>
                {t('origins.title')}
              </Text>
              <Text size="xs" c="dimmed" mb={6}>
                {t('origins.lead')}
              </Text>
              <Stack gap={6}>
                {origins.map(({ origin, agreed }) => (
                  <Checkbox
                    key={origin}
                    label={origin}
                    disabled={!isOwner}
                    checked={agreed || (value.agreeOrigins?.includes(origin) ?? false)}
                    onChange={(event) => {
                      const others = (value.agreeOrigins ?? []).filter((one) => one !== origin);
                      onChange({ agreeOrigins: event.currentTarget.checked ? [...others, origin] : others });
                    }}
                  />
                ))}
              </Stack>
            </div>
          )}
        </Stack>
        {constants.length + fixed.length > 0 && (
          <Stack gap="md">
            <div>
              <Text size="sm" fw={500}>
                {t('questions.once')}
              </Text>
              <Text size="xs" c="dimmed">
                {t('questions.onceHint')}
              </Text>
            </div>
            {fixed.map((name) => (
              <TextInput
                key={name}
                label={name}
                value={value.fix?.[name] ?? ''}
                onChange={(event) => setFix(name, event.currentTarget.value)}
              />
            ))}
            {constants.map((constant) => (
              <TextInput
                key={constant.name}
                label={constant.name}
                description={t('questions.onceCount', {
                  found: constant.operations,
                  count: constant.of,
                })}
                placeholder={constant.suggestion ?? t('questions.onceAsked')}
                value={value.fix?.[constant.name] ?? ''}
                onChange={(event) => setFix(constant.name, event.currentTarget.value)}
              />
            ))}
          </Stack>
        )}
      </div>
    </Panel>
  );
}

function sameScheme(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
