import { Stack, TagsInput, Text } from '@mantine/core';
import { useGet } from '../../api/queries.ts';
import { NamedLines } from '../../components/inputs/NamedLines.tsx';
import { useText } from '../../i18n/text.tsx';

type Scopes = Readonly<Record<string, readonly string[]>>;

/** Which scope of a token allows which tools. Without any, every token allows every tool. */
export function ToolScopes({
  value,
  onChange,
}: {
  value: Scopes | undefined;
  onChange: (value: Record<string, string[]> | undefined) => void;
}) {
  const t = useText();
  const tools = useGet('/tool-index', {});
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
      <NamedLines<string[]>
        initial={() => Object.entries(value ?? {}).map(([scope, opened]) => [scope, [...opened]])}
        empty={[]}
        onChange={(scopes) => onChange(scopes.length === 0 ? undefined : Object.fromEntries(scopes))}
        nameLabel={t('servers.scope')}
        addLabel={t('servers.addScope')}
      >
        {(scope, opened, change) => (
          <TagsInput
            flex={3}
            miw={0}
            aria-label={t('servers.scopeTools', { scope })}
            placeholder={opened.length === 0 ? t('nav.tools') : ''}
            data={index.map((tool) => tool.name)}
            limit={30}
            value={opened.map(nameOf)}
            onChange={change}
          />
        )}
      </NamedLines>
    </Stack>
  );
}
