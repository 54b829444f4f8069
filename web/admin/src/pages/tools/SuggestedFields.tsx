import { Alert, Button, Group, Text } from '@mantine/core';
import { useGet } from '../../api/queries.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

/** Suggests which fields of a tool's long replies to keep; nothing if its replies are short. */
export function SuggestedFields({ tool, onTake }: { tool: string; onTake: (select: string) => void }) {
  const t = useText();
  const format = useFormats();
  const { data } = useGet('/reply-suggestions', {});
  const suggestion = data?.items.find((item) => item.tool === tool);
  if (suggestion === undefined) return null;
  const { select, fields, replyTokens, saved } = suggestion;
  return (
    <Alert title={t('suggestions.title')}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {t('suggestions.says', {
            tokens: format.compact(replyTokens),
            count: fields.length,
            saved: format.percent(saved),
          })}
        </Text>
        <Button size="xs" variant="default" onClick={() => onTake(select)}>
          {t('suggestions.apply')}
        </Button>
      </Group>
    </Alert>
  );
}
