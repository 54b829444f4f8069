import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

type Suggestion = ReplyOf<RouteAt<'GET', '/reply-suggestions'>>['items'][number];

/** Tools whose replies are long, with the fields that would do; one click keeps those. */
export function ReplySuggestions() {
  const t = useText();
  const { data } = useGet('/reply-suggestions', {});
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Panel title={t('suggestions.title')} lead={t('suggestions.lead')}>
      <Stack gap="md">
        {data.items.map((item) => (
          <One key={item.tool} suggestion={item} />
        ))}
      </Stack>
    </Panel>
  );
}

function One({ suggestion }: { suggestion: Suggestion }) {
  const t = useText();
  const format = useFormats();
  const { tool, toolName, fields, replyTokens, saved, select } = suggestion;
  const update = useChange('PATCH', '/tools/:tool', ['/tools', '/reply-suggestions']);
  const apply = async () => {
    try {
      const { reply, revision } = await request('GET', '/tools/:tool', { params: { tool } });
      await update.mutateAsync({ params: { tool }, body: { reply: { ...reply, select } }, revision });
      toastDone(t('suggestions.applied', { tool: toolName }));
    } catch (problem) {
      toastProblem(problem);
    }
  };
  return (
    <Group justify="space-between" gap="sm">
      <div>
        <Anchor component={Link} href={`/tools/${tool}`}>
          {toolName}
        </Anchor>
        <Text size="sm">
          {t('suggestions.says', {
            tokens: format.compact(replyTokens),
            count: fields.length,
            saved: format.percent(saved),
          })}
        </Text>
        <Text size="sm" c="dimmed">
          <code>{select}</code>
        </Text>
      </div>
      <RequireRole>
        <Button variant="default" loading={update.isPending} onClick={() => void apply()}>
          {t('suggestions.apply')}
        </Button>
      </RequireRole>
    </Group>
  );
}
