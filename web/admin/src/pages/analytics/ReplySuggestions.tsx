import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Tool } from '../../api/resources.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

type Suggestion = ReplyOf<RouteAt<'GET', '/reply-suggestions'>>['items'][number];

/** Tools with long replies and the fields that would be enough. One click keeps only those, another undoes it. */
export function ReplySuggestions() {
  const t = useText();
  const { data } = useGet('/reply-suggestions', {});
  // Applied suggestions stay in place, so that a mistaken click is easy to undo.
  const [taken, setTaken] = useState<readonly Suggestion[]>([]);
  const open = (data?.items ?? []).filter(({ tool }) => taken.every((one) => one.tool !== tool));
  if (open.length + taken.length === 0) return null;
  return (
    <Panel title={t('suggestions.title')} lead={t('suggestions.lead')}>
      <Stack gap="md">
        {taken.map((item) => (
          <One
            key={item.tool}
            suggestion={item}
            isTaken
            onDone={() => setTaken(taken.filter((one) => one !== item))}
          />
        ))}
        {open.map((item) => (
          <One key={item.tool} suggestion={item} isTaken={false} onDone={() => setTaken([...taken, item])} />
        ))}
      </Stack>
    </Panel>
  );
}

interface OneProps {
  readonly suggestion: Suggestion;
  readonly isTaken: boolean;
  /** Called when it was applied or undone. */
  readonly onDone: () => void;
}

function One({ suggestion, isTaken, onDone }: OneProps) {
  const t = useText();
  const format = useFormats();
  const { tool, toolName, fields, replyTokens, saved, select } = suggestion;
  const update = useChange('PATCH', '/tools/:tool', ['/tools', '/reply-suggestions']);
  const change = async () => {
    try {
      const { reply, revision } = await request('GET', '/tools/:tool', { params: { tool } });
      const next: Tool['reply'] = isTaken ? without(reply, select) : { ...reply, select };
      await update.mutateAsync({ params: { tool }, body: { reply: next }, revision });
      onDone();
    } catch (problem) {
      toastProblem(problem);
    }
  };
  return (
    <Group justify="space-between" gap="sm">
      <div>
        <Anchor component={Link} href={`/tools/${tool}?tab=reply`}>
          {toolName}
        </Anchor>
        <Text size="sm" role="status">
          {isTaken
            ? t('suggestions.applied', { tool: toolName })
            : t('suggestions.says', {
                tokens: format.compact(replyTokens),
                count: fields.length,
                saved: format.percent(saved),
              })}
        </Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <code>{select}</code>
        </Text>
      </div>
      <RequireRole>
        <Button variant="default" loading={update.isPending} onClick={() => void change()}>
          {isTaken ? t('suggestions.undo') : t('suggestions.apply')}
        </Button>
      </RequireRole>
    </Group>
  );
}

/** The reply mapping without the suggestion. Changes made since then are kept. */
function without(reply: Tool['reply'], suggested: string): Tool['reply'] {
  const { select, ...rest } = reply;
  return select === undefined || select === suggested ? rest : reply;
}
