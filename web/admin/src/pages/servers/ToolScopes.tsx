import { ActionIcon, Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import { useText } from '../../i18n/text.tsx';

type Scopes = Readonly<Record<string, readonly string[]>>;

/** Which scope of a token opens which tools; without any, every token opens every tool. */
export function ToolScopes({
  value,
  onChange,
}: {
  value: Scopes | undefined;
  onChange: (value: Record<string, string[]> | undefined) => void;
}) {
  const t = useText();
  const tools = useGet('/tool-index', {});
  const [lines, setLines] = useState<[scope: string, tools: string[]][]>(() =>
    Object.entries(value ?? {}).map(([scope, opened]) => [scope, [...opened]]),
  );
  const change = (next: [string, string[]][]) => {
    setLines(next);
    const given = next.filter(([scope]) => scope.trim() !== '');
    onChange(given.length === 0 ? undefined : Object.fromEntries(given));
  };
  const index = tools.data?.items ?? [];
  const nameOf = (reference: string) => index.find((tool) => tool.id === reference)?.name ?? reference;
  return (
    <Stack gap="xs">
      <div>
        <Text fw={600}>{t('servers.toolScopes')}</Text>
        <Text size="xs" c="dimmed">
          {t('servers.toolScopesHint')}
        </Text>
      </div>
      {lines.map(([scope, opened], at) => (
        <Group key={at} gap="xs" wrap="nowrap" align="start">
          <TextInput
            flex={2}
            miw={0}
            aria-label={t('servers.scope')}
            placeholder={t('servers.scope')}
            value={scope}
            onChange={(event) => change(lines.with(at, [event.currentTarget.value, opened]))}
          />
          <TagsInput
            flex={3}
            miw={0}
            aria-label={t('servers.scopeOpens', { scope })}
            placeholder={opened.length === 0 ? t('nav.tools') : ''}
            data={index.map((tool) => tool.name)}
            limit={30}
            value={opened.map(nameOf)}
            onChange={(next) => change(lines.with(at, [scope, next]))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            mt={5}
            aria-label={t('common.remove')}
            onClick={() => change(lines.toSpliced(at, 1))}
          >
            <X size={15} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="subtle"
        size="xs"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => setLines([...lines, ['', []]])}
      >
        {t('servers.addScope')}
      </Button>
    </Stack>
  );
}
