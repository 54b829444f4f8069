import { ActionIcon, Button, Checkbox, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { type PiiAction, piiActions, type PiiKind, piiKinds } from '#domain/pii-rules.ts';
import { request } from '../../api/client.ts';
import type { Api } from '../../api/resources.ts';
import { useText } from '../../i18n/text.tsx';
import { Panel } from '../Panel.tsx';
import layout from '../Layout.module.css';

type Rule = NonNullable<Api['piiRules']>[number];

/** What counts as personal data in the calls of an API or server, and what happens to it; can be tried on a text. */
export function PiiRules({
  value = [],
  onChange,
  problemAt,
}: {
  value: readonly Rule[] | undefined;
  onChange: (rules: Rule[] | undefined) => void;
  problemAt: (path: string) => string | undefined;
}) {
  const t = useText();
  const set = (next: readonly Rule[]) => onChange(next.length === 0 ? undefined : [...next]);
  const unused = piiKinds.find((kind) => !value.some(({ find }) => find === kind)) ?? 'pattern';
  return (
    <Panel
      title={t('pii.title')}
      lead={t('pii.lead')}
      actions={
        <Button
          variant="light"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set([...value, newRule(unused)])}
        >
          {t('pii.add')}
        </Button>
      }
    >
      <Stack gap="lg">
        {value.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('pii.none')}
          </Text>
        )}
        {value.map((rule, at) => (
          <RuleFields
            key={at}
            rule={rule}
            number={at + 1}
            patternProblem={problemAt(`/piiRules/${at}/pattern`)}
            nameProblem={problemAt(`/piiRules/${at}/name`)}
            actionsProblem={problemAt(`/piiRules/${at}/actions`)}
            onChange={(next) => set(value.with(at, next))}
            onRemove={() => set(value.toSpliced(at, 1))}
          />
        ))}
        {value.length > 0 && <TryRules rules={value} />}
      </Stack>
    </Panel>
  );
}

function newRule(find: PiiKind): Rule {
  return { find, actions: ['mask-replies'], ...(find === 'pattern' && { pattern: '' }) };
}

function RuleFields({
  rule,
  number,
  patternProblem,
  nameProblem,
  actionsProblem,
  onChange,
  onRemove,
}: {
  rule: Rule;
  number: number;
  patternProblem: string | undefined;
  nameProblem: string | undefined;
  actionsProblem: string | undefined;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}) {
  const t = useText();
  const { name, actions } = rule;
  return (
    <Stack gap="xs" role="group" aria-label={t('pii.rule', { number: String(number) })}>
      <Group gap="xs" wrap="nowrap" align="end">
        <div className={layout.fields} style={{ flex: 1 }}>
          <Select
            label={t('pii.find')}
            allowDeselect={false}
            data={piiKinds.map((kind) => ({ value: kind, label: t(`pii.find.${kind}`) }))}
            value={rule.find}
            onChange={(find) =>
              find && onChange({ ...newRule(find), actions, ...(name !== undefined && { name }) })
            }
          />
          <TextInput
            label={t('pii.name')}
            placeholder={rule.find}
            maxLength={40}
            error={nameProblem}
            value={name ?? ''}
            onChange={(event) => onChange({ ...rule, name: event.currentTarget.value || undefined })}
          />
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          mb={5}
          aria-label={t('pii.remove', { number: String(number) })}
          onClick={onRemove}
        >
          <X size={15} aria-hidden />
        </ActionIcon>
      </Group>
      {rule.find === 'pattern' && (
        <TextInput
          label={t('pii.pattern')}
          description={t('pii.patternHint')}
          placeholder="[A-Z]{2}[0-9]{6}"
          maxLength={500}
          error={patternProblem}
          value={rule.pattern ?? ''}
          onChange={(event) => onChange({ ...rule, pattern: event.currentTarget.value })}
        />
      )}
      <Checkbox.Group
        aria-label={t('pii.actions')}
        error={actionsProblem}
        value={[...actions]}
        onChange={(chosen) =>
          onChange({ ...rule, actions: piiActions.filter((one) => chosen.includes(one)) })
        }
      >
        <Group gap="md">
          {piiActions.map((action: PiiAction) => (
            <Checkbox key={action} value={action} label={t(`pii.action.${action}`)} />
          ))}
        </Group>
      </Checkbox.Group>
    </Stack>
  );
}

/** A text, and what these rules make of it, before they are saved. */
function TryRules({ rules }: { rules: readonly Rule[] }) {
  const t = useText();
  const [text, setText] = useState('');
  const [tried] = useDebouncedValue({ text, rules }, 300);
  const { data, error } = useQuery({
    queryKey: ['/pii/try', tried],
    queryFn: ({ signal }) =>
      request('POST', '/pii/try', { body: { text: tried.text, rules: [...tried.rules] }, signal }),
    placeholderData: keepPreviousData,
    enabled: tried.text !== '',
    retry: false,
  });
  const lines =
    data === undefined || text === ''
      ? []
      : [
          [t('pii.inReply'), data.reply],
          [t('pii.inRecord'), data.record],
          [t('pii.inArgument'), t(data.refused ? 'pii.refused' : 'pii.sent')],
        ];
  return (
    <Stack gap="xs">
      <Textarea
        label={t('pii.try')}
        description={t('pii.tryHint')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={100_000}
        placeholder="jane@example.com, 4111 1111 1111 1111"
        error={text === '' ? undefined : error?.message}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Stack gap={4} aria-live="polite">
        {lines.map(([label, shown]) => (
          <Text key={label} size="sm" style={{ overflowWrap: 'anywhere' }}>
            <Text span c="dimmed">
              {label}
            </Text>{' '}
            {shown}
          </Text>
        ))}
      </Stack>
    </Stack>
  );
}
